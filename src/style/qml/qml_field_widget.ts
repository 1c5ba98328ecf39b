import { once } from '../../core/once.ts'
import type { XmlElement } from '../xml/xml_read.ts'
import { attributeOf, childNamed, childrenNamed, type FieldWidget, type QmlReading } from './qml_element.ts'

/** Prepares to find the widgets of fields, which are read when the first one is needed. Names are compared as in expressions. */
export function fieldWidgets(root: XmlElement): Required<QmlReading>['findWidget'] {
  const read = once(() => {
    const named = listWidgets(root)
    const folded = named.toReversed().map(([name, widget]) => [name.toLowerCase(), widget] as const)
    return { exact: new Map(named), folded: new Map(folded) }
  })
  return (field) => read().exact.get(field) ?? read().folded.get(field.toLowerCase())
}

type NamedWidget = readonly [field: string, widget: FieldWidget]

function listWidgets(root: XmlElement): NamedWidget[] {
  const fields = childrenNamed(root, 'fieldConfiguration').flatMap((one) => childrenNamed(one, 'field'))
  const older = childrenNamed(root, 'edittypes').flatMap((one) => childrenNamed(one, 'edittype'))
  return [
    ...fields.flatMap((field) => childrenNamed(field, 'editWidget').map((one) => readWidget(field, one))),
    ...older.map(readOlder),
  ]
}

function readWidget(field: XmlElement, element: XmlElement): NamedWidget {
  const type = attributeOf(element, 'type') ?? ''
  const config = childNamed(element, 'config')
  const options = config && childNamed(config, 'Option')
  const map = options?.children.find((option) => attributeOf(option, 'name') === 'map')
  return [
    attributeOf(field, 'name') ?? '',
    withLabels(type, type === 'ValueMap' && map ? entriesOf(map) : []),
  ]
}

/** A list of maps with one label each keeps its order; QGIS sorts a map of labels. */
function entriesOf(map: XmlElement): Entry[] {
  if (attributeOf(map, 'type') !== 'List') return sortLabels(map.children.map(entryOf))
  return map.children.flatMap((item) => sortLabels(item.children.map(entryOf)))
}

type Entry = readonly [label: string, value: string]

const entryOf = (option: XmlElement): Entry => [
  attributeOf(option, 'name') ?? '',
  attributeOf(option, 'value') ?? '',
]

const sortLabels = (entries: readonly Entry[]) =>
  entries.toSorted(([one], [other]) => (one < other ? -1 : Number(one > other)))

/** Reads the widget of a field as QGIS 2 writes it. */
function readOlder(element: XmlElement): NamedWidget {
  const type = attributeOf(element, 'widgetv2type') ?? ''
  const config = childNamed(element, 'widgetv2config')
  const values = type === 'ValueMap' && config ? childrenNamed(config, 'value') : []
  const entries = values.map((one): Entry => [attributeOf(one, 'key') ?? '', attributeOf(one, 'value') ?? ''])
  return [attributeOf(element, 'name') ?? '', withLabels(type, sortLabels(entries))]
}

/** Of labels for the same value, the first one applies. */
function withLabels(type: string, entries: readonly Entry[]): FieldWidget {
  if (type !== 'ValueMap') return { type }
  const labels = new Map(entries.toReversed().map(([label, value]) => [value, label]))
  return { type, labels: JSON.stringify(Object.fromEntries(labels)) }
}
