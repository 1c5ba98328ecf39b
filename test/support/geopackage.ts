import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { geojson } from './vector.ts'

/** Writes features as a GeoPackage that declares a geometry type, correct or not. */
export function packAs(type: 'POLYGON' | 'POLYGONZ', features: Parameters<typeof geojson>[0]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'landform-geopackage-'))
  try {
    const path = join(folder, 'a.gpkg')
    execFileSync('ogr2ogr', ['-f', 'GPKG', path, '/vsistdin/', '-nlt', 'GEOMETRY'], {
      input: geojson(features),
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const database = new DatabaseSync(path)
    const statement = database.prepare('update gpkg_geometry_columns set geometry_type_name = ?, z = ?')
    statement.run('POLYGON', type === 'POLYGONZ' ? 1 : 0)
    database.close()
    return readFileSync(path)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A feature table of a GeoPackage, whose declarations need not be correct. */
export interface FeatureTable {
  /** Declared geometry type. @default POINT */
  readonly type?: string
  /** Declared EPSG code. @default 4326 */
  readonly srs?: number
  /** Declared column types by name. */
  readonly columns?: Readonly<Record<string, string>>
  /** Geometry, and an SQL expression for each other column. */
  readonly rows: readonly (readonly [geometry: Uint8Array | null, ...values: string[]])[]
  /** SQL statements to run after the rows are inserted. */
  readonly finalSql?: string
}

/** Writes a GeoPackage with one table by SQL, as any program could. */
export function packTable({
  type = 'POINT',
  srs = 4326,
  columns = {},
  rows,
  finalSql = '',
}: FeatureTable): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'landform-geopackage-'))
  try {
    const path = join(folder, 'a.gpkg')
    const database = new DatabaseSync(path)
    const declared = Object.entries(columns).map(
      ([name, type]) => `, "${name.replaceAll('"', '""')}" ${type}`,
    )
    database.exec(`pragma synchronous = off; pragma application_id = 0x47504b47;
      create table gpkg_spatial_ref_sys (srs_name text, srs_id integer primary key, organization text,
        organization_coordsys_id integer, definition text, description text);
      insert into gpkg_spatial_ref_sys values ('WGS 84', 4326, 'EPSG', 4326, 'undefined', ''),
        ('Web Mercator', 3857, 'EPSG', 3857, 'undefined', ''), ('unknown', -1, 'NONE', -1, 'undefined', ''),
        ('unknown', 0, 'NONE', 0, 'undefined', '');
      create table gpkg_contents (table_name text primary key, data_type text, identifier text, description text,
        last_change text, min_x real, min_y real, max_x real, max_y real, srs_id integer);
      insert into gpkg_contents values ('a', 'features', 'a', '', '2020-01-01T00:00:00Z', 0, 0, 1, 1, ${srs});
      create table gpkg_geometry_columns (table_name text, column_name text, geometry_type_name text, srs_id integer,
        z integer, m integer);
      insert into gpkg_geometry_columns values ('a', 'geom', '${type}', ${srs}, 0, 0);
      create table a (fid integer primary key autoincrement, geom blob${declared.join('')})`)
    for (const [geometry, ...values] of rows)
      database.prepare(`insert into a values (${['null', '?', ...values].join(', ')})`).run(geometry)
    database.exec(finalSql)
    database.close()
    return readFileSync(path)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Encodes a point as a GeoPackage geometry, little-endian. @see https://www.geopackage.org/spec120/#gpb_format */
export function packPoint(position: readonly number[], { srs = 4326, code = 1 } = {}): Buffer {
  const bytes = Buffer.alloc(13 + 8 * position.length)
  bytes.write('GP')
  bytes[3] = 1
  bytes.writeInt32LE(srs, 4)
  bytes[8] = 1
  bytes.writeUInt32LE(code, 9)
  position.forEach((value, index) => void bytes.writeDoubleLE(value, 13 + 8 * index))
  return bytes
}

/** GeoJSON coordinates. */
export type Coordinates = readonly (number | Coordinates)[]

const codes = ['Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiLineString', 'MultiPolygon']

/** Encodes a GeoPackage geometry, with Z if its positions have three coordinates. */
export function packGeometry(type: string, coordinates: Coordinates): Buffer {
  const header = packPoint([]).subarray(0, 8)
  return Buffer.concat([header, packWkb(codes.indexOf(type) + 1, coordinates)])
}

function packWkb(code: number, coordinates: Coordinates): Buffer {
  const hasHeights = positionIn(coordinates).length === 3
  const head = Buffer.alloc(5, 1)
  head.writeUInt32LE((hasHeights ? 1000 : 0) + code, 1)
  if (code > 3) return Buffer.concat([head, packList(coordinates, (member) => packWkb(code - 3, member))])
  if (code === 1) return Buffer.concat([head, packNumbers(coordinates)])
  const line = (positions: Coordinates) => packList(positions, packNumbers)
  return Buffer.concat([head, code === 2 ? line(coordinates) : packList(coordinates, line)])
}

function positionIn(coordinates: Coordinates): Coordinates {
  const [first] = coordinates
  return Array.isArray(first) ? positionIn(first) : coordinates
}

function packList(members: Coordinates, pack: (member: Coordinates) => Buffer): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32LE(members.length)
  return Buffer.concat([count, ...(members as readonly Coordinates[]).map(pack)])
}

function packNumbers(numbers: Coordinates): Buffer {
  return Buffer.from(Float64Array.from(numbers as readonly number[]).buffer)
}
