import { listLayers, type MapItem, type MapLayer } from '../../style/map_layers.ts'
import { icons } from '../catalog/icons.ts'
import { element, iconButton } from '../element.ts'
import { isPassingFault, type Load } from '../recovery.ts'
import { askJson } from '../request.ts'
import { createBadge, createOpacitySlider, discloseWith, type LayerDetail } from './layer_details.ts'
import { createLayerFilter } from './layer_filter.ts'

/** Layer tree with check boxes. */
export interface LayerTree {
  readonly root: HTMLElement
  /** Box that finds layers; empty for small trees. */
  readonly filter: readonly HTMLElement[]
  /** Marks the layers that are not shown at the current scale. */
  markScale(isShown: (layer: MapLayer) => boolean): void
  /** Marks the layers that the server cannot draw, with the reasons by id. */
  markUndrawable(reasons: ReadonlyMap<number, string>): void
  /** Loads the legends of layers again, of those whose legends are shown. */
  reloadLegends(layers: readonly MapLayer[]): void
}

/** Options and event handlers of the layer tree. */
export interface LayerTreeOptions {
  readonly items: readonly MapItem[]
  readonly checked: ReadonlySet<number>
  /** Opacity of layers from 0 to 1, by the id of the item. */
  readonly opacities: ReadonlyMap<number, number>
  /** A layer was checked or unchecked. */
  onChange(layer: MapLayer, checked: boolean): void
  /** The opacity of a layer was changed, from 0 to 1. */
  onOpacity(layer: MapLayer, opacity: number): void
  /** The user requests to zoom to a layer. */
  onZoom(layer: MapLayer): void
  /** Loads a legend. */
  readonly loadLegend: Load
}

interface Building extends LayerTreeOptions {
  /** Check boxes and entries of layers, by the id of the item. */
  readonly boxes: Map<number, HTMLInputElement>
  readonly entries: Map<number, HTMLElement>
  /** Loads the legends that are shown again, by the id of the item. */
  readonly legends: Map<number, (layer: MapLayer) => void>
  /** Groups by id. */
  readonly folds: Map<number, GroupFold>
  /** Updates the check boxes of groups from their children, innermost first. */
  readonly groups: (() => void)[]
  /** Items that are found; undefined while none are looked for. */
  readonly search: { found: ReadonlySet<number> | undefined }
}

/** A group whose layers can be shown and hidden. */
interface GroupFold {
  readonly entry: HTMLElement
  /** Shows the layers of the group, or as the user has chosen. */
  unfold(isForced: boolean): void
}

/** A symbol of a legend, in its size on the map. */
interface LegendSymbol {
  /** Empty if the style has only one symbol, and for pictures. */
  readonly caption: string
  readonly icon: HTMLElement
}

interface AnswerSymbol {
  readonly render: boolean
  readonly display_name: string
  readonly icon: { readonly format: string; readonly data: string }
}

/** Creates the layer tree from lists, check boxes and buttons, for keyboards and screen readers. */
export function createLayerTree(options: LayerTreeOptions): LayerTree {
  const building: Building = {
    ...options,
    boxes: new Map(),
    entries: new Map(),
    legends: new Map(),
    folds: new Map(),
    groups: [],
    search: { found: undefined },
  }
  const root = element('ul', { class: 'tree', 'aria-label': 'Layers' }, ...entriesOf(options.items, building))
  for (const update of building.groups) update()
  root.addEventListener('change', () => {
    for (const update of building.groups) update()
  })
  const layers = listLayers(options.items)
  return {
    root,
    filter: createLayerFilter(options.items, (shown) => showItems(building, shown)),
    markScale(isShown) {
      for (const layer of layers) {
        const entry = building.entries.get(layer.id)
        const hidden = !isShown(layer)
        entry?.classList.toggle('out-of-scale', hidden)
        const note = entry?.querySelector<HTMLElement>('.scale')
        if (note) note.hidden = !hidden
      }
    },
    markUndrawable(reasons) {
      for (const [id, reason] of reasons) {
        const entry = building.entries.get(id)
        if (entry === undefined || entry.classList.contains('failed')) continue
        entry.classList.add('failed')
        const { button, content } = createBadge(`Not drawn:\n${reason}`)
        entry.querySelector('.row')?.append(button)
        entry.querySelector('.row')?.after(content)
      }
    },
    reloadLegends(changed) {
      for (const layer of changed) building.legends.get(layer.id)?.(layer)
    },
  }
}

/** Shows some layers and groups, with groups unfolded; all of them, folded as before, for undefined. */
function showItems(
  { entries, folds, groups, search }: Building,
  shown: ReadonlySet<number> | undefined,
): void {
  search.found = shown
  for (const update of groups) update()
  for (const [id, entry] of entries) entry.hidden = shown?.has(id) === false
  for (const [id, { entry, unfold }] of folds) {
    entry.hidden = shown?.has(id) === false
    unfold(shown !== undefined)
  }
}

function entriesOf(items: readonly MapItem[], building: Building): HTMLElement[] {
  return items.map((item) =>
    item.type === 'group' ? groupEntry(item, building) : layerEntry(item, building),
  )
}

function layerEntry(layer: MapLayer, building: Building): HTMLElement {
  const box = element('input', { type: 'checkbox' })
  box.checked = building.checked.has(layer.id)
  box.addEventListener('change', () => building.onChange(layer, box.checked))
  building.boxes.set(layer.id, box)
  const name = element(
    'span',
    { class: 'name' },
    layer.label,
    element('span', { class: 'scale', hidden: true }, ' (not shown at this scale)'),
  )
  const label = element('label', {}, box, name)
  const details = [...undrawnBadge(layer), opacityControl(layer, building)]
  const buttons = [...details.map(({ button }) => button), ...zoomButton(layer, building)]
  const row = element('div', { class: 'row' }, label, ...buttons)
  const entry = element('li', { class: 'layer' }, row, ...details.map(({ content }) => content))
  showOpacity(entry, opacityOf(layer, building))
  const loadLegend = (shown: MapLayer) =>
    building.loadLegend(String(layer.id), () => showLegend(shown, { entry, name }))
  if (layer.legendInfo.has_legend)
    whenSeen(entry, () => {
      building.legends.set(layer.id, loadLegend)
      loadLegend(layer)
    })
  building.entries.set(layer.id, entry)
  return entry
}

/** Calls a function when an element is seen for the first time. */
function whenSeen(target: Element, act: () => void): void {
  const observer = new IntersectionObserver((changes) => {
    if (!changes.some(({ isIntersecting }) => isIntersecting)) return
    observer.disconnect()
    act()
  })
  observer.observe(target)
}

/** Shows the legend of a layer: a single symbol before its name, several and pictures in a list. */
async function showLegend(
  layer: MapLayer,
  { entry, name }: { readonly entry: HTMLElement; readonly name: HTMLElement },
): Promise<void> {
  const symbols = await loadLegend(layer).catch((error: unknown) => {
    if (isPassingFault(error)) throw error
    // The legend is missing; the layer reports what is wrong with its style.
    return []
  })
  name.parentElement?.querySelector(':scope > .swatch')?.remove()
  entry.querySelector(':scope > .legend')?.remove()
  const [first] = symbols
  if (first === undefined) return
  const { hasLegendPicture } = layer.landform
  if (symbols.length === 1 && !hasLegendPicture) return name.before(first.icon)
  const lines = symbols.map(({ icon, caption }) =>
    element('li', {}, icon, ...(hasLegendPicture ? [] : [element('span', {}, caption || 'others')])),
  )
  entry.append(element('ul', { class: 'legend', 'aria-label': `Legend of ${layer.label}` }, ...lines))
}

function zoomButton(layer: MapLayer, { onZoom }: Building): HTMLElement[] {
  if (!layer.landform.hasExtent) return []
  return [iconButton(`Zoom to ${layer.label}`, icons.extent, () => onZoom(layer))]
}

/** Badge of a layer whose style has parts that are not drawn, with a list of them. */
function undrawnBadge({ landform: { undrawnParts } }: MapLayer): LayerDetail[] {
  if (undrawnParts.length === 0) return []
  return [createBadge(`Not drawn as in the style:\n${undrawnParts.join('\n')}`)]
}

const opacityOf = ({ id }: MapLayer, { opacities }: Building) => opacities.get(id) ?? 1

/** Draws the legend of a layer as opaque as the layer on the map. */
const showOpacity = (entry: HTMLElement, opacity: number) =>
  entry.style.setProperty('--opacity', String(opacity))

function opacityControl(layer: MapLayer, building: Building): LayerDetail {
  const slider = createOpacitySlider(layer.label, opacityOf(layer, building), (opacity) => {
    const entry = building.entries.get(layer.id)
    if (entry !== undefined) showOpacity(entry, opacity)
    building.onOpacity(layer, opacity)
  })
  return discloseWith(
    iconButton(`Opacity of ${layer.label}`, icons.opacity, () => {}),
    slider,
  )
}

type Group = Extract<MapItem, { type: 'group' }>

function groupEntry(group: Group, building: Building): HTMLElement {
  const content = element('ul', { id: `group-${group.id}` }, ...entriesOf(group.children, building))
  let isChosen = group.expanded
  const fold = iconButton(`Layers of ${group.label}`, icons.fold, () => {
    isChosen = content.hidden === true
    setExpanded(isChosen)
  })
  fold.classList.add('fold')
  fold.setAttribute('aria-controls', content.id)
  const setExpanded = (expanded: boolean) => {
    content.hidden = !expanded
    fold.setAttribute('aria-expanded', String(expanded))
  }
  setExpanded(isChosen)
  const label = element(
    'label',
    {},
    groupBox(group, building),
    element('span', { class: 'name' }, group.label),
  )
  const entry = element('li', { class: 'group' }, element('div', { class: 'row' }, fold, label), content)
  building.folds.set(group.id, { entry, unfold: (isForced) => setExpanded(isForced || isChosen) })
  return entry
}

/**
 * Creates the check box of the layers in a group, indeterminate while only some are visible. While layers are looked for, it is that
 * of those which are found.
 */
function groupBox(group: Group, building: Building): HTMLInputElement {
  const box = element('input', { type: 'checkbox' })
  const all = listLayers(group.children)
  const listed = () => all.filter(({ id }) => building.search.found?.has(id) !== false)
  box.addEventListener('change', () => {
    for (const layer of listed()) {
      const one = building.boxes.get(layer.id)
      if (one === undefined || one.checked === box.checked) continue
      one.checked = box.checked
      building.onChange(layer, box.checked)
    }
  })
  building.groups.push(() => {
    const layers = listed()
    const checked = layers.filter(({ id }) => building.boxes.get(id)?.checked).length
    box.checked = checked === layers.length
    box.indeterminate = checked > 0 && checked < layers.length
  })
  return box
}

/** Loads the symbols that a layer is drawn with, in the order of its style. */
async function loadLegend({ styleId, landform }: MapLayer): Promise<LegendSymbol[]> {
  const side = iconSide(landform.reach)
  const path = `/api/resource/${styleId}/legend_symbols?icon_size=${side}`
  const symbols = (await askJson<AnswerSymbol[]>(path)).filter(({ render }) => render)
  return symbols.map(({ display_name: caption, icon: { format, data } }) => {
    const src = `data:image/${format};base64,${data}`
    const icon = landform.hasLegendPicture
      ? element('img', { class: 'picture', alt: `Legend of ${caption}`, src })
      : element('span', { class: 'swatch' }, element('img', { alt: '', src, width: side, height: side }))
    return { caption: symbols.length === 1 || landform.hasLegendPicture ? '' : caption, icon }
  })
}

/** Returns the side of icons in which the largest marker of a style fits, within the limits of the server. */
function iconSide(reach: number): number {
  return Math.max(20, Math.min(64, 2 * Math.ceil(reach) + 4))
}
