import type { Static } from 'typebox'
import { nullable, oneOf } from '../descriptor.ts'
import { patterns } from '../schema/pattern.ts'
import { Type } from '../schema/type.ts'

/** Types of geoservices. */
export const geoserviceTypes = ['tms', 'wms', 'wfs', 'geojson'] as const

/** Type of a geoservice. */
export type GeoserviceType = (typeof geoserviceTypes)[number]

/** Results of a check of a geoservice. */
export const cumulativeStatuses = ['works', 'problematic', 'failed'] as const

/** Result of a check of a geoservice. */
export type CumulativeStatus = (typeof cumulativeStatuses)[number]

/** Kinds of errors in status records. */
export const checkErrorTypes = [
  'unsupported service',
  'timeout',
  'invalid response',
  'not found response',
  'missing layer',
  'wrong url',
] as const

/** Kind of an error in a status record. */
export type CheckErrorType = (typeof checkErrorTypes)[number]

/** Maximum length of the response and of the error text in a status record, in characters. */
export const maxStatusText = 2048

/** Image formats of WMS geoservices. */
export const wmsFormats = [
  'image/png',
  'image/png8',
  'image/png24',
  'image/png32',
  'image/gif',
  'image/bmp',
  'image/jpeg',
  'image/tiff',
  'image/tiff8',
  'image/geotiff',
  'image/geotiff8',
  'image/svg+xml',
] as const

/** Limits of the catalog. */
export const catalogLimits = {
  /** Records on a page; statuses have pages of `statusPage` unless the client says otherwise. */
  page: 500,
  statusPage: 100,
  /** Length of a geometry in a query, in characters. */
  geometryText: 32_768,
  /** Length of a search text, in characters, and number of its words. */
  searchText: 1000,
  searchWords: 20,
  /** Records of a kind in the catalog. */
  records: 100_000,
  /** Geoservices that a request checks by their ids. */
  checkedServices: 10_000,
  /** Positions of a boundary. */
  boundaryPositions: 100_000,
  /** Bytes and pixels of the source of an icon. */
  iconBytes: 2 * 2 ** 20,
  iconPixels: 4096 * 4096,
} as const

/** Width and height of icons in pixels. */
export const iconSizes = { minimum: 16, maximum: 64, default: 32 } as const

const text = (maxLength: number, description: string) =>
  Type.Optional(nullable(Type.String({ maxLength }), { default: null, description }))
const link = (description: string) =>
  Type.Optional(
    nullable(Type.String({ maxLength: 2000, pattern: patterns.link }), { default: null, description }),
  )
const zoom = (description: string) =>
  Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 30 }), { default: null, description }))

/** Members of a geoservice of every type that are set by its author, except its icon. */
export const geoserviceMembers = {
  name: Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: patterns.trimmed,
    description: 'Unique name.',
  }),
  type: oneOf(geoserviceTypes, {
    'x-replace': 'clients address a geoservice by its type',
    description: 'Type of the service.',
  }),
  url: Type.String({
    minLength: 1,
    maxLength: 2000,
    pattern: patterns.url,
    description:
      'Address. Of tiles: with {x}, {y} and {z}, or with {q} (quadkey); its host may have one list of alternatives, {switch:a,b,c}.',
  }),
  guid: Type.Optional(
    Type.String({
      pattern: patterns.uuid,
      'x-replace': 'the global identifier of a record never changes',
      description: 'Global identifier; generated if absent.',
    }),
  ),
  desc: text(20_000, 'Description.'),
  epsg: Type.Optional(
    nullable(Type.Integer({ minimum: 1, maximum: 999_999 }), {
      default: null,
      description: 'EPSG code of the coordinate reference system.',
    }),
  ),
  license_name: text(1000, 'Name of the license.'),
  license_url: link('Link of the license.'),
  copyright_text: text(2000, 'Attribution.'),
  copyright_url: link('Link of the attribution.'),
  terms_of_use_url: link('Link of the terms of use.'),
  source: text(2000, 'Where the record comes from.'),
  source_url: link('Link of the source of the record.'),
  boundary: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: 4_000_000 }), {
      default: null,
      'x-form': 'boundary',
      description:
        'Area that the service covers: POLYGON or MULTIPOLYGON as WKT in EPSG:4326, or as EWKT in another reference system. Its bounding box is the extent.',
    }),
  ),
} as const

/** Members of the geoservices of one type, in addition to those of all. */
export const geoserviceTypeMembers = {
  tms: {
    z_min: zoom('Minimum zoom level of the tiles.'),
    z_max: zoom('Maximum zoom level of the tiles.'),
    y_origin_top: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether rows of tiles are counted from the top, as in XYZ; otherwise from the bottom.',
      }),
    ),
  },
  wms: {
    params: text(2000, 'Additional query string of requests.'),
    layers: text(4000, 'Names of the layers, separated by commas.'),
    turn_over: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the axes of bounding boxes are swapped.' }),
    ),
    format: Type.Optional(
      nullable(oneOf(wmsFormats), { default: null, description: 'Media type of the images.' }),
    ),
  },
  wfs: {
    layer: Type.String({
      minLength: 1,
      maxLength: 1000,
      pattern: patterns.notBlank,
      description: 'Name of the feature type, with its prefix if it has one.',
    }),
  },
  geojson: {},
} as const

/** A geoservice as its author writes it. The icon is an id on the wire and a key in manifests. */
export const GeoserviceSchema = Type.Object({
  ...geoserviceMembers,
  ...geoserviceTypeMembers.tms,
  ...geoserviceTypeMembers.wms,
  layer: Type.Optional(geoserviceTypeMembers.wfs.layer),
})

/** A geoservice as its author writes it. */
export type Geoservice = Static<typeof GeoserviceSchema>

/** Record of a check, as it is served. */
export const StatusSchema = Type.Object({
  id: Type.Integer({ description: 'Identifier.' }),
  check_at: Type.String({ description: 'Time of the check, ISO 8601 in UTC.' }),
  check_duration: nullable(Type.Number(), { description: 'Duration in seconds.' }),
  cumulative_status: oneOf(cumulativeStatuses, { description: 'Result.' }),
  http_code: nullable(Type.Integer(), { description: 'HTTP status; 0 if there was none.' }),
  http_response: nullable(Type.String(), {
    description: `Start of the response, at most ${maxStatusText} characters.`,
  }),
  error_type: nullable(oneOf(checkErrorTypes), { description: 'Kind of error.' }),
  error_text: nullable(Type.String(), {
    description: `Error message, at most ${maxStatusText} characters.`,
  }),
  geoservice: Type.Integer({ description: 'Geoservice.' }),
})

/** Record of a check, as it is served. */
export type GeoserviceStatus = Static<typeof StatusSchema>

/** Icon, as it is served. */
export const IconSchema = Type.Object({
  id: Type.Integer({ description: 'Identifier.' }),
  guid: Type.String({ description: 'Global identifier.' }),
  name: Type.String({ description: 'Unique name.' }),
})

/** Geoservice in a list. */
export const GeoserviceItemSchema = Type.Object({
  id: Type.Integer({ description: 'Identifier.' }),
  guid: Type.String({ description: 'Global identifier.' }),
  name: Type.String({ description: 'Name.' }),
  desc: nullable(Type.String(), { description: 'Description.' }),
  type: oneOf(geoserviceTypes, { description: 'Type.' }),
  epsg: nullable(Type.Integer(), { description: 'EPSG code.' }),
  icon: nullable(Type.Integer(), { description: 'Icon.' }),
  submitter: nullable(Type.String(), { description: 'Global identifier of the submitter.' }),
  created_at: Type.String({ description: 'Time of creation, ISO 8601 in UTC.' }),
  updated_at: nullable(Type.String(), { description: 'Time of the last edit, ISO 8601 in UTC.' }),
  cumulative_status: nullable(oneOf(cumulativeStatuses), {
    description: 'Result of the last check; null before the first one.',
  }),
  extent: nullable(Type.String(), { description: 'Bounding box of the boundary, EWKT in EPSG:4326.' }),
})

/** Geoservice in a list. */
export type GeoserviceItem = Static<typeof GeoserviceItemSchema>

const shared = GeoserviceItemSchema.properties
const detailText = nullable(Type.String())

/** Geoservice with all members of its type, as it is served. */
export const GeoserviceDetailSchema = Type.Object(
  {
    ...shared,
    url: Type.String({
      description: 'Address; of tiles with several hosts, the address at one of them, chosen at random.',
    }),
    alt_urls: Type.Optional(
      Type.Array(Type.String(), { description: 'The address at each host, if there are several (tms).' }),
    ),
    origin_url: Type.Optional(Type.String({ description: 'Address as it was written (tms).' })),
    license_name: detailText,
    license_url: detailText,
    copyright_text: detailText,
    copyright_url: detailText,
    terms_of_use_url: detailText,
    source: detailText,
    source_url: detailText,
    boundary: nullable(Type.String(), { description: 'MULTIPOLYGON, EWKT in EPSG:4326.' }),
    boundary_area: nullable(Type.Number(), { description: 'Area of the boundary in square degrees.' }),
    z_min: Type.Optional(nullable(Type.Integer())),
    z_max: Type.Optional(nullable(Type.Integer())),
    y_origin_top: Type.Optional(Type.Boolean()),
    params: Type.Optional(detailText),
    layers: Type.Optional(detailText),
    turn_over: Type.Optional(Type.Boolean()),
    format: Type.Optional(detailText),
    layer: Type.Optional(Type.String()),
    last_status: nullable(Type.Integer(), { description: 'Status record of the last check.' }),
  },
  { additionalProperties: true },
)

/** Geoservice with all members of its type, as it is served. */
export type GeoserviceDetail = Static<typeof GeoserviceDetailSchema>

const alternatives = /^(https?:\/\/[^/{]*)\{switch:([^{}/]*)\}/

/** Number of hosts, of those that serve the same tiles, that pages use. */
const pageHosts = 16

/** Lists the addresses of tiles at each of several hosts, `{switch:a,b,c}`; empty if there is one host. */
export function alternativeUrls(url: string): string[] {
  const [whole = '', before = '', list] = alternatives.exec(url) ?? []
  if (list === undefined) return []
  return list.split(',').map((host) => `${before}${host.trim()}${url.slice(whole.length)}`)
}

/** Lists the addresses of a service that a page requests, one for each host. */
export function pageUrls({
  url,
  alt_urls: others = [],
}: Pick<GeoserviceDetail, 'url' | 'alt_urls'>): readonly string[] {
  return others.length === 0 ? [url] : others.slice(0, pageHosts)
}

/** What is wrong with a member of a geoservice. */
export interface GeoserviceFault {
  readonly member: string
  readonly message: string
  readonly hint?: string
}

/** Finds the faults of a geoservice that its schema does not find: members that depend on each other. */
export function findGeoserviceFaults(service: Partial<Geoservice>): GeoserviceFault[] {
  const { type, url = '', z_min: lowest, z_max: highest } = service
  if (type === undefined) return []
  const faults: GeoserviceFault[] = []
  const foreign = foreignMembers(type).filter((name) => isSet(service[name as keyof Geoservice]))
  for (const member of foreign)
    faults.push({ member, message: `a geoservice of type ${type} has no member "${member}"` })
  if (type === 'tms') faults.push(...findTileUrlFaults(url))
  if (/^https?:\/\/[^/?#]*@/i.test(url))
    faults.push({
      member: 'url',
      message: 'the address contains a user name or a password, which everybody could read in the catalog',
      hint: 'Remove the part before the @.',
    })
  if (type === 'wfs' && !isSet(service.layer))
    faults.push({ member: 'layer', message: 'a geoservice of type wfs requires the member "layer"' })
  if (typeof lowest === 'number' && typeof highest === 'number' && lowest > highest)
    faults.push({ member: 'z_max', message: `z_max ${highest} is less than z_min ${lowest}` })
  return faults
}

/** Defaults of members of other types are no members. */
const isSet = (value: unknown) => value !== undefined && value !== null && value !== false

/** Lists the members of other types. */
export function foreignMembers(type: GeoserviceType): string[] {
  const own: object = geoserviceTypeMembers[type]
  return geoserviceTypes.flatMap((other) =>
    Object.keys(geoserviceTypeMembers[other]).filter((name) => !Object.hasOwn(own, name)),
  )
}

/** What to write instead of placeholders of other programs. */
const foreignPlaceholders: Readonly<Record<string, string>> = {
  '{-y}': 'Write {y}; rows begin in the south unless y_origin_top is true.',
  '{s}': 'Write the hosts: {switch:a,b,c}.',
}

function findTileUrlFaults(url: string): GeoserviceFault[] {
  const faults: GeoserviceFault[] = []
  const [unknown] = url.match(/\{(?!(?:[xyzq]|switch:[^{}]*)\})[^{}]*\}/g) ?? []
  if (unknown !== undefined)
    faults.push({
      member: 'url',
      message: `the address has the unknown placeholder ${unknown}`,
      hint: foreignPlaceholders[unknown] ?? 'Known are {x}, {y}, {z}, {q} and {switch:a,b,c}.',
    })
  else if (!url.includes('{q}') && !['{x}', '{y}', '{z}'].every((place) => url.includes(place)))
    faults.push({
      member: 'url',
      message: 'the address of tiles lacks {x}, {y} and {z}',
      hint: 'Write {x}, {y} and {z}, or {q} for quadkeys, in their place.',
    })
  const switches = url.split('{switch:').length - 1
  if (switches > 1 || (switches === 1 && alternativeUrls(url).length === 0))
    faults.push({
      member: 'url',
      message: 'an address has at most one {switch:…}, in its host name',
      hint: 'Write https://{switch:a,b,c}.example.org/{z}/{x}/{y}.png.',
    })
  return faults
}
