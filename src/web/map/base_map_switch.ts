import type { ConfigBasemap } from '../../contract/bodies/webmap_config.ts'
import { element } from '../element.ts'

/** Options of the choice of base maps. */
export interface BaseMapSwitchOptions {
  readonly basemaps: readonly ConfigBasemap[]
  readonly chosen: ConfigBasemap | undefined
  /** One was chosen; undefined for none. */
  onChoose(basemap: ConfigBasemap | undefined): void
}

/** Creates the choice of base maps: a group of radio buttons, the last of which shows none. */
export function createBaseMapSwitch({ basemaps, chosen, onChoose }: BaseMapSwitchOptions): HTMLElement {
  const entry = (basemap: ConfigBasemap | undefined) => {
    const radio = element('input', { type: 'radio', name: 'base', change: () => onChoose(basemap) })
    radio.checked = basemap === chosen
    return element('label', {}, radio, element('span', { class: 'name' }, basemap?.label ?? 'None'))
  }
  const entries = [...basemaps, undefined].map(entry)
  return element('fieldset', { class: 'base-maps' }, element('legend', {}, 'Base map'), ...entries)
}
