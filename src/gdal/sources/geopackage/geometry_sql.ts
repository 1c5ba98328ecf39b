import type { GeometryParts } from '../../../contract/geometry.ts'
import { hasMeasures, readDeclaredType } from '../declared_type.ts'

/** Declaration of the geometry column of a GeoPackage table. */
export interface GeometryColumn {
  /** Name of the column, quoted. */
  readonly column: string
  /** Id of the reference system in the file. */
  readonly srs: number
  /** GDAL's code of the geometry type. */
  readonly code: number
}

/** SQL condition on a row: the geometry has another reference system; 0 and -1 are undefined ones. */
export function hasOtherSystem({ column, srs }: GeometryColumn): string {
  const known = [srs, 0, -1].flatMap((code) => {
    const bytes = Buffer.alloc(4)
    bytes.writeInt32LE(code)
    const bigEndian = Buffer.from(bytes).reverse()
    return [...new Set([bytes, bigEndian].map((one) => `x'${one.toString('hex')}'`))]
  })
  const cases = known.map((bytes) => `when ${bytes} then 0`).join(' ')
  return `case when typeof(${column}) = 'blob' then case substr(${column}, 5, 4) ${cases} else 1 end else 0 end`
}

/**
 * SQL expression for the bytes with the byte order and type of a geometry, after a header whose size depends on its
 * flags.
 *
 * @see https://www.geopackage.org/spec120/#gpb_format
 */
function typeBytes(column: string): string {
  const flags = `substr(${column}, 4, 1)`
  const sizes = [0, 32, 48, 48, 64]
  // In the flags, the bits of the envelope are above the byte order, and the bit for empty geometries is above the
  // envelope.
  const cases = sizes.flatMap((size, envelope) =>
    [0, 1, 16, 17].map((rest) => {
      const byte = (2 * envelope + rest).toString(16).padStart(2, '0')
      return `when x'${byte}' then substr(${column}, ${9 + size}, 5)`
    }),
  )
  return `case ${flags} ${cases.join(' ')} end`
}

// Type codes with heights start at 1000, with measures at 2000, with both at 3000.
const heights = ['01[EF]?030000', '00000003[EF]?', '01[BC]?0B0000', '0000000B[BC]?']
const measures = ['01[DE]?070000', '00000007[DE]?', '01[BC]?0B0000', '0000000B[BC]?']

function isLike(column: string, patterns: readonly string[]): string {
  const bytes = `hex(${typeBytes(column)})`
  return `coalesce(${patterns.map((pattern) => `${bytes} glob '${pattern}'`).join(' or ')}, 0)`
}

/** SQL condition on a row: the geometry has heights. */
export function hasHeights({ column }: GeometryColumn): string {
  return isLike(column, heights)
}

/** SQL condition on a row: the geometry has measures. */
export function hasMeasureValues({ column }: GeometryColumn): string {
  return isLike(column, measures)
}

/** SQL condition on a row: GDAL would ignore a part of the geometry. */
export function mayLosePart(geometryColumn: GeometryColumn): string {
  const { column, code } = geometryColumn
  const declared = readDeclaredType(code)
  const isPlanar = declared?.hasZ === false
  const patterns = [...(isPlanar ? heights : []), ...(hasMeasures(code) ? [] : measures)]
  const other = patterns.length === 0 ? [] : [isLike(column, patterns)]
  // Fast path for the most frequent headers.
  const usual = usualGeometries(geometryColumn, declared).map((one) => `when ${one} then 0`)
  return `case ${usual.join(' ')} when ${[hasOtherSystem(geometryColumn), ...other].join(' or ')} then 1 else 0 end`
}

const codes = { POINT: 1, LINESTRING: 2, POLYGON: 3 } as const

/** Little-endian geometries, without an envelope or with one of the declared dimensions. */
function usualGeometries({ column, srs }: GeometryColumn, declared: GeometryParts | undefined): string[] {
  const { hasZ = false } = declared ?? {}
  const singles = declared === undefined ? Object.values(codes) : [codes[declared.family]]
  const system = Buffer.alloc(4)
  system.writeInt32LE(srs)
  const headers = [{ flags: '01', at: 9 }, hasZ ? { flags: '05', at: 57 } : { flags: '03', at: 41 }]
  return headers.flatMap(({ flags, at }) => {
    const header = `substr(${column}, 1, 8) = x'475000${flags}${system.toString('hex')}'`
    const types = singles
      .flatMap((single) => [single, single + 3])
      .map((code) => {
        const type = Buffer.alloc(5, 1)
        type.writeUInt32LE(hasZ ? code + 1000 : code, 1)
        return `substr(${column}, ${at}, 5) = x'${type.toString('hex')}'`
      })
    return `${header} and (${types.join(' or ')})`
  })
}
