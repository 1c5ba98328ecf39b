import type { MapLayer } from '../../style/map_layers.ts'
import { icons } from '../catalog/icons.ts'
import { element, iconButton, parseHtml } from '../element.ts'
import { attachmentList } from './attachment_list.ts'
import type { Findings, FoundFeature } from './identify.ts'

/** Panel of found features. */
export interface FeaturePanel {
  readonly root: HTMLElement
  /** Shows the findings with the first feature open, and moves the keyboard focus to the panel if requested. */
  show(findings: Findings, focuses: boolean): void
  /** Removes the findings of a layer, and closes if there are no others. */
  removeLayer(layerId: number): void
  close(): void
}

/** Event handlers of the panel. */
export interface FeaturePanelEvents {
  /** The open feature has changed; undefined if none is open. */
  onSelect(feature: FoundFeature | undefined): void
  /** The user requests to zoom to a feature. */
  onZoom(feature: FoundFeature): void
  /** The panel closes while it has the keyboard focus. */
  onLeave(): void
}

/** Creates the panel that shows the attributes of found features. */
export function createFeaturePanel(events: FeaturePanelEvents): FeaturePanel {
  const heading = element('h2', { tabindex: -1 })
  const list = element('div', { class: 'found' })
  let shown: Findings = { features: [], faults: [] }
  const close = () => {
    if (root.hidden) return
    if (root.contains(document.activeElement)) events.onLeave()
    root.hidden = true
    list.replaceChildren()
    events.onSelect(undefined)
  }
  const root = element(
    'section',
    { class: 'card features', 'aria-label': 'Features found', hidden: true },
    element('header', {}, heading, iconButton('Close', icons.close, close)),
    list,
  )
  const show = (findings: Findings, focuses: boolean) => {
    shown = findings
    heading.textContent = headingOf(findings)
    list.replaceChildren(
      ...notesOf(findings).map((note) => element('p', { class: 'note' }, note)),
      ...findings.features.map((feature, at) => featureEntry(feature, at === 0, events)),
    )
    root.hidden = false
    list.scrollTop = 0
    if (focuses) heading.focus()
    events.onSelect(findings.features[0])
  }
  return {
    root,
    close,
    show,
    removeLayer(layerId) {
      if (root.hidden) return
      const isOther = ({ layer }: { readonly layer: MapLayer }) => layer.layerId !== layerId
      const features = shown.features.filter(isOther)
      if (features.length === shown.features.length) return
      if (features.length === 0) close()
      else show({ features, faults: shown.faults.filter(isOther) }, false)
    },
  }
}

/** Maximum number of features of a layer in a response. */
const maxOfLayer = 100

function notesOf({ features, faults }: Findings): string[] {
  const byLayer = Map.groupBy(features, ({ layer }) => layer)
  const full = [...byLayer].filter(([, found]) => found.length >= maxOfLayer)
  return [
    ...faults.map(({ layer, reason }) => `${layer.label}: ${reason}`),
    ...full.map(
      ([{ label }]) => `${label}: showing the first ${maxOfLayer} features. Zoom in to find others.`,
    ),
  ]
}

function headingOf({ features }: Findings): string {
  const isFeatures = features.every(({ layer }) => layer.landform.hasFeatures)
  const noun = isFeatures ? 'feature' : 'result'
  if (features.length === 0) return 'Nothing found here'
  return features.length === 1 ? `1 ${noun}` : `${features.length} ${noun}s`
}

function featureEntry(
  feature: FoundFeature,
  open: boolean,
  { onSelect, onZoom }: FeaturePanelEvents,
): HTMLElement {
  const entry = element(
    'details',
    { name: 'feature', open },
    element(
      'summary',
      {},
      element('span', { class: 'title' }, titleOf(feature)),
      element('span', { class: 'layer' }, feature.layer.label),
    ),
    attributeTable(feature),
    ...(feature.description
      ? [element('div', { class: 'description' }, parseHtml(feature.description))]
      : []),
    ...(feature.attachments ? [attachmentList(feature, feature.attachments)] : []),
    ...(feature.layer.landform.hasFeatures ? [zoomButton()] : []),
  )
  entry.addEventListener('toggle', () => {
    if (entry.open) onSelect(feature)
  })
  return entry

  function zoomButton(): HTMLElement {
    const click = () => onZoom(feature)
    return element('button', { type: 'button', class: 'plain', click }, 'Zoom to feature')
  }
}

/** Returns the label of a feature, or its field `name` if the layer has no label field; the layer for features without either. */
function titleOf({ id, label, fields, layer }: FoundFeature): string {
  if (label === '') return layer.label
  const name = fields.name ?? fields.NAME ?? fields.Name
  return label === `#${id}` && typeof name === 'string' && name !== '' ? name : label
}

function attributeTable({ id, layer, fields, labels: values = {} }: FoundFeature): HTMLElement {
  const known = layer.landform.fields.filter(({ keyname }) => Object.hasOwn(fields, keyname))
  const names = known.map(({ keyname }) => keyname)
  const others = Object.keys(fields).filter((name) => !names.includes(name))
  const labels = [
    ...known.flatMap(({ keyname, label, isShown }) => (isShown ? [[keyname, label] as const] : [])),
    ...others.map((name) => [name, name] as const),
  ]
  // A field may have the name of the id, and another value.
  const isTaken = labels.some(([, label]) => label.toLowerCase() === 'id')
  const rows = labels.map(([keyname, label]) =>
    attributeRow(label, fields[keyname], Object.hasOwn(values, keyname) ? values[keyname] : undefined),
  )
  // Pixels have no id, and those of features of other services are not told.
  if (layer.landform.hasFeatures) rows.push(attributeRow(isTaken ? 'feature id' : 'id', id))
  return element('table', {}, element('tbody', {}, ...rows))
}

/** Shows a value, or its label with the value beside it. */
function attributeRow(name: string, value: unknown, label?: string): HTMLElement {
  const attributes = typeof value === 'number' && label === undefined ? { class: 'number' } : {}
  const shown = showValue(value)
  const content =
    label === undefined || label === String(value)
      ? [shown]
      : [label, ' ', element('span', { class: 'code', title: 'stored value' }, shown)]
  return element('tr', {}, element('th', { scope: 'row' }, name), element('td', attributes, ...content))
}

/** Formats the value of a field as a node. Strings are never parsed as markup. */
function showValue(value: unknown): Node {
  if (value === null || value === undefined || value === '') {
    return element('span', { class: 'none', title: 'no value' }, '–')
  }
  if (typeof value === 'string' && /^https?:\/\/\S+$/.test(value)) {
    return element('a', { href: value, target: '_blank', rel: 'noopener noreferrer' }, value)
  }
  return document.createTextNode(formatValue(value))
}

/** Formats a value as text; dates and times, which the API returns as objects, in ISO 8601. */
function formatValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'object' || value === null) return String(value)
  const { year, month, day, hour, minute, second } = value as Readonly<Record<string, number | undefined>>
  const date = year === undefined ? '' : `${padded(year, 4)}-${padded(month)}-${padded(day)}`
  const time = hour === undefined ? '' : `${padded(hour)}:${padded(minute)}:${padded(second)}`
  return date === '' && time === '' ? JSON.stringify(value) : `${date} ${time}`.trim()
}

const padded = (value: number | undefined, digits = 2) => String(value ?? 0).padStart(digits, '0')
