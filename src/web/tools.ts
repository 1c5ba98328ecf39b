import type OlMap from 'ol/Map'
import type { DegreeBox } from '../contract/bodies/webmap_config.ts'
import { icons } from './catalog/icons.ts'
import { element, iconButton } from './element.ts'
import { goHome, turnNorth, zoomBy } from './map/viewport.ts'

/** Options of the map tools. */
export interface ToolOptions {
  readonly initialExtent: DegreeBox
  /** Whether to show only the north button, since touch gestures rotate the map by accident. */
  readonly tiny: boolean
}

/** Creates the buttons that zoom and rotate the map. */
export function createTools(map: OlMap, { initialExtent, tiny }: ToolOptions): HTMLElement {
  const north = northButton(map)
  const tools = tiny
    ? [north]
    : [
        iconButton('Zoom in', icons.plus, () => zoomBy(map, 1)),
        iconButton('Zoom out', icons.minus, () => zoomBy(map, -1)),
        iconButton('Initial extent', icons.home, () => goHome(map, initialExtent)),
        north,
      ]
  return element('div', { class: 'card tools', role: 'group', 'aria-label': 'Map tools' }, ...tools)
}

/** Creates a button with a north arrow, hidden while north is up. */
function northButton(map: OlMap): HTMLButtonElement {
  const button = iconButton('Reset north', icons.north, () => turnNorth(map))
  const view = map.getView()
  const update = () => {
    const angle = (view.getRotation() * 180) / Math.PI
    const isNorth = angle % 360 === 0
    // A hidden button loses the keyboard focus.
    if (isNorth && document.activeElement === button) map.getTargetElement()?.focus()
    button.hidden = isNorth
    button.querySelector('path')?.setAttribute('transform', `rotate(${angle} 10 10)`)
  }
  view.on('change:rotation', update)
  update()
  return button
}
