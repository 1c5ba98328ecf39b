import { element, iconButton } from './element.ts'
import { icons } from './icons.ts'
import { drawnRules } from './paint.ts'
import { swatchesOf } from './swatch.ts'
import { listLayers, type MapItem, type MapLayer } from './tree_walk.ts'

/** Layer tree with check boxes. */
export interface LayerTree {
  readonly root: HTMLElement
  /** Marks the layers that are not shown at the current scale. */
  markScale(isShown: (layer: MapLayer) => boolean): void
  /** Marks the layers that the server cannot draw, with the reasons by id. */
  markUndrawable(reasons: ReadonlyMap<number, string>): void
}

/** Options and event handlers of the layer tree. */
export interface LayerTreeOptions {
  readonly items: readonly MapItem[]
  readonly checked: ReadonlySet<number>
  /** A layer was checked or unchecked. */
  onChange(layer: MapLayer, checked: boolean): void
  /** The user requests to zoom to a layer. */
  onZoom(layer: MapLayer): void
}

interface Building extends LayerTreeOptions {
  /** Check boxes and entries of layers, by the id of the item. */
  readonly boxes: Map<number, HTMLInputElement>
  readonly entries: Map<number, HTMLElement>
  /** Updates the check boxes of groups from their children, innermost first. */
  readonly groups: (() => void)[]
}

/** Creates the layer tree from lists, check boxes and buttons, for keyboards and screen readers. */
export function createLayerTree(options: LayerTreeOptions): LayerTree {
  const building: Building = { ...options, boxes: new Map(), entries: new Map(), groups: [] }
  const root = element('ul', { class: 'tree', 'aria-label': 'Layers' }, ...entriesOf(options.items, building))
  for (const update of building.groups) update()
  root.addEventListener('change', () => {
    for (const update of building.groups) update()
  })
  const layers = listLayers(options.items)
  return {
    root,
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
        const row = building.entries.get(id)?.querySelector('.row')
        if (row?.querySelector('.undrawn') === null) row.append(badge(`Not drawn:\n${reason}`))
      }
    },
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
  const rules = layer.landform.features === null ? [] : drawnRules(layer.landform.features.style)
  const swatches = swatchesOf(layer)
  const isSingle = rules.length === 1 && rules[0]?.label === undefined
  const entry = element(
    'li',
    { class: 'layer' },
    element(
      'div',
      { class: 'row' },
      element(
        'label',
        {},
        box,
        ...(isSingle ? swatches : []),
        element(
          'span',
          { class: 'name' },
          layer.label,
          element('span', { class: 'scale', hidden: true }, ' (not shown at this scale)'),
        ),
      ),
      ...undrawnBadge(layer),
      ...zoomButton(layer, building),
    ),
  )
  if (!isSingle && rules.length > 0) {
    const lines = swatches.map((swatch, at) =>
      element('li', {}, swatch, element('span', {}, rules[at]?.label ?? 'others')),
    )
    entry.append(element('ul', { class: 'legend', 'aria-label': `Legend of ${layer.label}` }, ...lines))
  }
  building.entries.set(layer.id, entry)
  return entry
}

function zoomButton(layer: MapLayer, { onZoom }: Building): HTMLElement[] {
  if (!layer.landform.hasExtent) return []
  return [iconButton(`Zoom to ${layer.label}`, icons.extent, () => onZoom(layer))]
}

/** Badge of a layer whose style has parts that are not drawn, with a list of them as its title. */
function undrawnBadge({ landform: { undrawnParts } }: MapLayer): HTMLElement[] {
  if (undrawnParts.length === 0) return []
  return [badge(`Not drawn as in the style:\n${undrawnParts.join('\n')}`)]
}

function badge(title: string): HTMLElement {
  return element('span', { class: 'undrawn', role: 'img', title, 'aria-label': title }, '⚠')
}

type Group = Extract<MapItem, { type: 'group' }>

function groupEntry(group: Group, building: Building): HTMLElement {
  const content = element('ul', { id: `group-${group.id}` }, ...entriesOf(group.children, building))
  const fold = iconButton(`Layers of ${group.label}`, icons.fold, () => setExpanded(content.hidden === true))
  fold.classList.add('fold')
  fold.setAttribute('aria-controls', content.id)
  const setExpanded = (expanded: boolean) => {
    content.hidden = !expanded
    fold.setAttribute('aria-expanded', String(expanded))
  }
  setExpanded(group.expanded)
  const label = element(
    'label',
    {},
    groupBox(group, building),
    element('span', { class: 'name' }, group.label),
  )
  return element('li', { class: 'group' }, element('div', { class: 'row' }, fold, label), content)
}

/** Creates the check box of all layers in a group, indeterminate while only some are visible. */
function groupBox(group: Group, building: Building): HTMLInputElement {
  const box = element('input', { type: 'checkbox' })
  const layers = listLayers(group.children)
  const boxes = () => layers.map(({ id }) => building.boxes.get(id)).filter((one) => one !== undefined)
  box.addEventListener('change', () => {
    for (const layer of layers) {
      const one = building.boxes.get(layer.id)
      if (one === undefined || one.checked === box.checked) continue
      one.checked = box.checked
      building.onChange(layer, box.checked)
    }
  })
  building.groups.push(() => {
    const checked = boxes().filter((one) => one.checked).length
    box.checked = checked === layers.length
    box.indeterminate = checked > 0 && checked < layers.length
  })
  return box
}
