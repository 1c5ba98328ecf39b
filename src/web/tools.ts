import type OlMap from 'ol/Map'
import type { DegreeBox } from '../contract/webmap_config.ts'
import { element, iconButton } from './element.ts'
import { icons } from './icons.ts'
import { goHome, turnNorth, zoomBy } from './viewport.ts'

/** What the tools are made for. */
export interface ToolOptions {
  readonly initialExtent: DegreeBox
  /** Only the button that turns the map north, which fingers turn without wanting to. */
  readonly tiny: boolean
}

/** Makes the buttons that zoom and turn the map. */
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

/** The needle points north; there is no button while that is up. */
function northButton(map: OlMap): HTMLButtonElement {
  const button = iconButton('Reset north', icons.north, () => turnNorth(map))
  const view = map.getView()
  const update = () => {
    const angle = (view.getRotation() * 180) / Math.PI
    const isNorth = angle % 360 === 0
    // What is hidden loses the keyboard.
    if (isNorth && document.activeElement === button) map.getTargetElement()?.focus()
    button.hidden = isNorth
    button.querySelector('path')?.setAttribute('transform', `rotate(${angle} 10 10)`)
  }
  view.on('change:rotation', update)
  update()
  return button
}
