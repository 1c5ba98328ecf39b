import { channelsOf } from '../color.ts'
import type { VariableName } from '../expression/expression.ts'
import { type Displacement, displacedPlacements, type PointGroups } from '../point_groups.ts'
import { findQtColor } from '../qt_color.ts'
import type { Length, MapSymbol } from '../symbol_layer.ts'
import type { XmlElement } from '../xml/xml_read.ts'
import { attributeOf, childrenNamed, type QmlReading, readFinite, reportPart } from './qml_element.ts'
import { lengthIn } from './qml_options.ts'
import { readQmlSymbol } from './qml_symbol.ts'

/** Renderers that group points which are close together, with a renderer for those that are not. */
export const groupRenderers = new Set(['pointCluster', 'pointDisplacement'])

/** Variables of groups. */
export const groupVariables: readonly VariableName[] = ['cluster_size', 'cluster_color']

/** Distance of groups in millimetres, without one in the file. */
const defaultDistance = 3

/** Reads how a renderer groups points. */
export function readPointGroups(file: QmlReading, renderer: XmlElement): PointGroups {
  const reading: QmlReading = { ...file, variables: groupVariables }
  const [symbol] = childrenNamed(renderer, 'symbol')
  const isDisplaced = attributeOf(renderer, 'type') === 'pointDisplacement'
  if (isDisplaced) reportLabels(reading, renderer)
  return {
    distance: lengthOf(reading, renderer, {
      name: 'tolerance',
      unit: attributeOf(renderer, 'toleranceUnit'),
      scale: attributeOf(renderer, 'toleranceUnitScale'),
      byDefault: defaultDistance,
    }),
    symbol: symbol === undefined ? defaultSymbol(isDisplaced) : readQmlSymbol(reading, symbol),
    ...(isDisplaced ? { displacement: readDisplacement(reading, renderer) } : {}),
  }
}

interface LengthAttribute {
  readonly name: string
  readonly unit: string | undefined
  readonly scale?: string | undefined
  readonly byDefault: number
}

function lengthOf(
  reading: QmlReading,
  renderer: XmlElement,
  { name, unit, scale, byDefault }: LengthAttribute,
): Length {
  const attribute = renderer.attributes.find((one) => one.name === name)
  const source = { at: attribute ?? renderer, name: `${name} of the renderer`, text: attribute?.value }
  return lengthIn({ value: readFinite(reading, source) ?? byDefault, unit, scale })
}

function readDisplacement(reading: QmlReading, renderer: XmlElement): Displacement {
  const length = (name: string, byDefault: number) =>
    lengthOf(reading, renderer, { name, unit: 'MM', byDefault })
  const color = findQtColor(attributeOf(renderer, 'circleColor') ?? '') ?? '#000000'
  return {
    placement: displacedPlacements[Number(attributeOf(renderer, 'placement') ?? 0)] ?? 'ring',
    spacing: length('circleRadiusAddition', 0),
    ...(channelsOf(color)[3] === 0 ? {} : { line: { color, width: length('circleWidth', 0.4) } }),
  }
}

/** Displaced points have labels of their own, apart from those of the layer. */
function reportLabels(reading: QmlReading, renderer: XmlElement): void {
  const name = renderer.attributes.find((one) => one.name === 'labelAttributeName')
  if (name !== undefined && name.value !== '')
    reportPart(reading, name, 'labels of displaced points are not drawn')
}

/** Returns the symbol of QGIS for a renderer without one. */
function defaultSymbol(isDisplaced: boolean): MapSymbol {
  if (isDisplaced) return { type: 'marker', opacity: 1, layers: [] }
  return {
    type: 'marker',
    opacity: 1,
    layers: [
      {
        ...{
          kind: 'marker',
          pass: 0,
          shape: 'circle',
          fill: '#f54b50',
          size: 15.1181,
          angle: 0,
          offset: [0, 0],
        },
        anchor: { x: 'center', y: 'center' },
        stroke: {
          ...{ color: '#232323', width: 0, dash: [], isDashRelative: false, dashOffset: 0 },
          ...{ join: 'bevel', cap: 'square' },
        },
      },
    ],
  }
}
