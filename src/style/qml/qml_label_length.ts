import type { Length } from '../symbol_layer.ts'
import type { XmlElement } from '../xml/xml_read.ts'
import { attributeOf, entryOf, findFinite, numberAttribute } from './qml_element.ts'
import { lengthIn, pixelsPerUnit } from './qml_options.ts'

interface LabelLength {
  /** Attribute with the unit. */
  readonly unit: string
  /** Attribute with the limits of lengths in map units. */
  readonly scale: string
  readonly byDefault: number
  /** Returns the unit where the attribute is missing, as in files of QGIS 2. */
  readonly findOlderUnit: (element: XmlElement) => string
}

/** Returns the unit by an attribute that tells whether a length is in map units. */
const mapUnitOr =
  (unit: string, attribute: string, byDefault = 0) =>
  (element: XmlElement): string =>
    (numberAttribute(element, attribute) ?? byDefault) === 0 ? unit : 'MapUnit'

/** Units by their numbers in QGIS 2. */
const numberedUnits: Readonly<Record<string, string>> = { '0': 'Point', '1': 'MM', '2': 'MapUnit' }

const offset = {
  unit: 'offsetUnits',
  scale: 'labelOffsetMapUnitScale',
  byDefault: 0,
  // Offsets were in map units when they had no unit.
  findOlderUnit: mapUnitOr('MM', 'labelOffsetInMapUnits', 1),
}

/** Lengths of labels by their attributes, with the units that QGIS reads in each version. */
const lengths = {
  fontSize: {
    unit: 'fontSizeUnit',
    scale: 'fontSizeMapUnitScale',
    byDefault: 10,
    findOlderUnit: mapUnitOr('Point', 'fontSizeInMapUnits'),
  },
  bufferSize: {
    unit: 'bufferSizeUnits',
    scale: 'bufferSizeMapUnitScale',
    byDefault: 1,
    findOlderUnit: mapUnitOr('MM', 'bufferSizeInMapUnits'),
  },
  dist: {
    unit: 'distUnits',
    scale: 'distMapUnitScale',
    byDefault: 0,
    findOlderUnit: mapUnitOr('MM', 'distInMapUnits'),
  },
  repeatDistance: {
    unit: 'repeatDistanceUnits',
    scale: 'repeatDistanceMapUnitScale',
    byDefault: 0,
    findOlderUnit: (element) => entryOf(numberedUnits, attributeOf(element, 'repeatDistanceUnit')) ?? 'MM',
  },
  xOffset: offset,
  yOffset: offset,
} as const satisfies Readonly<Record<string, LabelLength>>

/** Attribute of labels that is a length. */
export type LabelLengthName = keyof typeof lengths

/** Tells whether an attribute of labels is a length. */
export function isLabelLength(name: string): boolean {
  return Object.hasOwn(lengths, name)
}

/** Returns a length of labels. */
export function labelLength(element: XmlElement, name: LabelLengthName): Length {
  const { scale, byDefault } = lengths[name]
  const value = findFinite(attributeOf(element, name)) ?? byDefault
  // Nothing is nothing in all units.
  return value === 0
    ? 0
    : lengthIn({ value, unit: unitOf(element, name), scale: attributeOf(element, scale) })
}

/** Returns the factor from the unit of a length to pixels, or 1 for map units. */
export function labelLengthFactor(element: XmlElement, name: LabelLengthName): number {
  const unit = unitOf(element, name)
  return unit === 'MapUnit' || unit === 'RenderMetersInMapUnits' ? 1 : (entryOf(pixelsPerUnit, unit) ?? 1)
}

function unitOf(element: XmlElement, name: LabelLengthName): string {
  const { unit, findOlderUnit } = lengths[name]
  return attributeOf(element, unit) ?? findOlderUnit(element)
}
