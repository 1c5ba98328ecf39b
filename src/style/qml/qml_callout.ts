import { type CalloutEnd, calloutEnds, type LabelCallout, labelCorners } from '../label_model.ts'
import type { MapSymbol } from '../symbol_layer.ts'
import { readXml, type XmlElement } from '../xml/xml_read.ts'
import { attributeOf, childrenNamed, type QmlReading, reportPart } from './qml_element.ts'
import { lengthOption, type QmlOptions, readOptions, textOption } from './qml_options.ts'
import { readQmlSymbol } from './qml_symbol.ts'

/** Kinds of callouts that are drawn, by their names in QML. */
const kinds: Readonly<Record<string, LabelCallout['kind']>> = { simple: 'straight', manhattan: 'right_angle' }

/** Reads the callout of label settings, if it is switched on; reports one of a kind that is not drawn. */
export function readCallout(reading: QmlReading, settings: XmlElement): { readonly callout?: LabelCallout } {
  for (const element of childrenNamed(settings, 'callout')) {
    const options = { ...readOptions(reading, element), cls: 'the callout' }
    if (!['1', 'true'].includes(textOption(options, 'enabled') ?? '')) continue
    const type = attributeOf(element, 'type') ?? 'simple'
    const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined
    if (kind === undefined) reportPart(reading, element, `callouts of type ${type} are not drawn`)
    else return { callout: calloutOf(options, kind) }
  }
  return {}
}

function calloutOf(options: QmlOptions, kind: LabelCallout['kind']): LabelCallout {
  reportOptions(options)
  const length = (name: string) =>
    lengthOption(options, { name, unit: `${name}Unit`, scale: `${name}MapUnitScale`, byDefault: 0 })
  const corner = textOption(options, 'labelAnchorPoint') ?? ''
  const end = textOption(options, 'anchorPoint') ?? ''
  return {
    kind,
    line: readLine(options),
    from: labelCorners.find((one) => one === corner) ?? (corner === 'centroid' ? 'c' : 'edge'),
    to: calloutEnds.find((one) => one === end) ?? ('pole_of_inaccessibility' satisfies CalloutEnd),
    minLength: length('minLength'),
    gapAtLabel: length('offsetFromLabel'),
    gapAtFeature: length('offsetFromAnchor'),
  }
}

function reportOptions({ reading, values, layer }: QmlOptions): void {
  const at = (name: string) => values.get(name)?.element ?? layer
  if (values.get('drawToAllParts')?.value === 'true')
    reportPart(reading, at('drawToAllParts'), 'callouts to all parts are drawn to one part')
  const blending = values.get('blendMode')?.value ?? '0'
  if (blending !== '' && blending !== '0')
    reportPart(reading, at('blendMode'), 'the blend mode of callouts is drawn as normal')
  for (const property of activeProperties(at('ddProperties')))
    reportPart(
      reading,
      property,
      `data-defined property ${attributeOf(property, 'name')} of callouts is ignored`,
    )
}

/** Lists the options with an active expression or field. */
function activeProperties(element: XmlElement): XmlElement[] {
  const isActive = element.children.some(
    (child) => attributeOf(child, 'name') === 'active' && attributeOf(child, 'value') === 'true',
  )
  return isActive ? [element] : element.children.flatMap(activeProperties)
}

const plainLine: MapSymbol = {
  type: 'line',
  opacity: 1,
  layers: [
    {
      kind: 'line',
      pass: 0,
      stroke: {
        color: '#3c3c3c',
        width: 0.3 * (96 / 25.4),
        ...{ dash: [], isDashRelative: false, dashOffset: 0, join: 'bevel', cap: 'square' },
      },
      offset: 0,
      rings: 'all',
    },
  ],
}

/** Reads the symbol of the line, which is a text of XML in an option. Its issues have the position of the option. */
function readLine({ reading, values }: QmlOptions): MapSymbol {
  const option = values.get('lineSymbol')
  if (option === undefined || option.value === '') return plainLine
  const { root } = readXml(option.value, 'lineSymbol')
  if (root === undefined) {
    reportPart(reading, option.element, 'the line of callouts is not readable, and drawn as a grey line')
    return plainLine
  }
  const inner: QmlReading = { ...reading, issues: [] }
  const symbol = readQmlSymbol(inner, root)
  for (const { message } of inner.issues) reportPart(reading, option.element, `callouts: ${message}`)
  return symbol
}
