import type { ByteGeometry, ByteSequence } from '../../geo/byte_geometry.ts'
import type { Part } from '../../geo/geometry.ts'

/** Version of GML. */
export type GmlVersion = '2.1.2' | '3.1.1' | '3.2.1'

/** How geometries are written. */
export interface GmlFormat {
  readonly version: GmlVersion
  readonly srsName: string
  /** Whether the second coordinate comes first. */
  readonly isSwapped: boolean
  /** Whether coordinates were transformed, so that their last digits are noise. */
  readonly isTransformed: boolean
}

/**
 * Returns a geometry as GML: in version 2 with `coordinates`, later with `pos` and `posList`; collections of lines and
 * polygons in version 3.2 as curves and surfaces.
 *
 * @param id identifier of the geometry, which only version 3.2 has
 * @see OGC 02-069 clause 4, OGC 03-105r1 clause 10, OGC 07-036 clause 10
 */
export function gmlText(geometry: ByteGeometry, format: GmlFormat, id: string): string {
  const { family, isMulti, hasZ, parts } = geometry
  const names = format.version === '3.2.1' ? curveNames : plainNames
  const { single, multi, member } = names[family]
  const dimension = hasZ && format.version !== '2.1.2' ? ' srsDimension="3"' : ''
  const attributes = (own: string) => (format.version === '3.2.1' ? ` gml:id="${own}"` : '')
  const srs = ` srsName="${format.srsName}"${dimension}`
  const write = (part: Part<ByteSequence>, own: string) =>
    `<gml:${single}${own}>${contentText(family, part, format)}</gml:${single}>`
  const [first] = parts
  if (!isMulti) return first === undefined ? '' : write(first, `${attributes(id)}${srs}`)
  const members = parts.map(
    (part, at) => `<gml:${member}>${write(part, attributes(`${id}.${at + 1}`))}</gml:${member}>`,
  )
  return `<gml:${multi}${attributes(id)}${srs}>${members.join('')}</gml:${multi}>`
}

/** Names of geometries with straight edges, which version 3.2 does not have. */
const plainNames = {
  POINT: { single: 'Point', multi: 'MultiPoint', member: 'pointMember' },
  LINESTRING: { single: 'LineString', multi: 'MultiLineString', member: 'lineStringMember' },
  POLYGON: { single: 'Polygon', multi: 'MultiPolygon', member: 'polygonMember' },
} as const

const curveNames = {
  POINT: plainNames.POINT,
  LINESTRING: { single: 'LineString', multi: 'MultiCurve', member: 'curveMember' },
  POLYGON: { single: 'Polygon', multi: 'MultiSurface', member: 'surfaceMember' },
} as const

function contentText(family: ByteGeometry['family'], part: Part<ByteSequence>, format: GmlFormat): string {
  const isOld = format.version === '2.1.2'
  const positions = (sequence: ByteSequence, name: string) =>
    isOld
      ? `<gml:coordinates>${positionsText(sequence, format, ',')}</gml:coordinates>`
      : `<gml:${name}>${positionsText(sequence, format, ' ')}</gml:${name}>`
  const [first] = part
  if (family === 'POINT') return first === undefined ? '' : positions(first, 'pos')
  if (family === 'LINESTRING') return first === undefined ? '' : positions(first, 'posList')
  const [outer, inner] = isOld ? ['outerBoundaryIs', 'innerBoundaryIs'] : ['exterior', 'interior']
  return part
    .map((ring, at) => {
      const boundary = at === 0 ? outer : inner
      return `<gml:${boundary}><gml:LinearRing>${positions(ring, 'posList')}</gml:LinearRing></gml:${boundary}>`
    })
    .join('')
}

function positionsText(
  sequence: ByteSequence,
  { isSwapped, isTransformed }: GmlFormat,
  comma: string,
): string {
  const { data, at, step, zAt, zStep, count } = sequence
  const { view } = data
  const print = isTransformed ? printTransformed : String
  let text = ''
  for (let index = 0; index < count; index += 1) {
    const from = at + index * step
    const x = print(view.getFloat64(from, true))
    const y = print(view.getFloat64(from + 8, true))
    text += `${index === 0 ? '' : ' '}${isSwapped ? y : x}${comma}${isSwapped ? x : y}`
    if (zAt >= 0) text += `${comma}${print(view.getFloat64(zAt + index * zStep, true))}`
  }
  return text
}

/** Largest number that is taken for degrees. */
const maxDegrees = 400

/** Prints a hundredth of a millimeter in degrees, and a thousandth in meters. */
function printTransformed(value: number): string {
  const scale = Math.abs(value) <= maxDegrees ? 1e10 : 1e6
  return String(Math.round(value * scale) / scale)
}
