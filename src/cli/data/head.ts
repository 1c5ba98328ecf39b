import type { Command } from 'commander'
import type { Api } from '../../api/api.ts'
import { resolveFeatureLayer } from '../../api/resolve_resource.ts'
import type { Representation } from '../../contract/bodies/bodies.ts'
import type { Field } from '../../contract/classes/feature_layer.ts'
import { problem } from '../../contract/problems.ts'
import { countOf } from '../../core/count.ts'
import { findHint } from '../../core/suggest.ts'
import { splitArray } from '../../pipeline/splitter.ts'
import { countFeatures } from '../../pipeline/target_layer.ts'
import type { CommandInput, CommandSpec } from '../command.ts'
import { collect, parseCount, serverOptions } from '../options.ts'
import { withServer } from '../principals.ts'
import { type FeatureColumn, formatFeatureTable, shortenWkt } from '../print/feature_table.ts'
import { painter } from '../print/text_format.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { filterOptions, readFilter } from './filter.ts'
import { layerFacts, nameLayer } from './layer.ts'
import { streamOut } from './output.ts'
import { degrees, parseSrs } from './srs.ts'

type Layer = Representation<'vector_layer'>

/** The command `data head`. */
export const headCommand: CommandSpec = {
  name: 'head',
  summary: 'show the first features of a layer',
  examples: [
    'landform data head cities',
    'landform data head City/Roads -n 3 --fields name,lanes --filter "name__ilike=%street%"',
    'landform data head cities -n 1000 --json | tippecanoe -o cities.pmtiles',
  ],
  declare,
  run: ({ arguments: [name], options }, terminal) =>
    withServer(options, terminal, async (api) => {
      const layer = await resolveFeatureLayer(api, String(name), terminal.interrupt)
      const fields = chooseFields(layer, options.fields as readonly string[] | undefined)
      const request = { layer, fields, options }
      if (options.json) await writeGeoJson(api, request, terminal)
      else await writeTable(api, request, terminal)
    }),
}

function declare(command: Command): Command {
  const own = command
    .argument('<layer>', 'keyname, id, or path of names such as City/Roads')
    .option('-n, --number <count>', 'number of features', parseCount, 10)
    .option('--fields <names>', 'fields to show, in order', collect)
    .option('--no-geom', 'omit geometries')
    .option('--srs <code>', 'EPSG code of the coordinates of the table', parseSrs, degrees)
    .option('--order-by <fields>', 'sort by fields; a leading minus means descending', collect)
    .option('--json', 'write GeoJSON features, one per line')
  return serverOptions(filterOptions(own))
}

interface TableRequest {
  readonly layer: Layer
  readonly fields: readonly Field[]
  readonly options: CommandInput['options']
}

interface GeometryForm {
  readonly geom_format: 'wkt' | 'geojson'
  readonly srs: number
}

interface WireFeature {
  readonly id: number
  readonly geom: unknown
  readonly fields: Readonly<Record<string, unknown>>
}

/**
 * Finds the fields to show.
 *
 * @throws {Problem} usage/bad-argument
 */
function chooseFields({ feature_layer }: Layer, names: readonly string[] | undefined): readonly Field[] {
  const all = feature_layer?.fields ?? []
  if (names === undefined) return all
  return names.map((name) => {
    const found = all.find(({ keyname }) => keyname === name)
    if (found !== undefined) return found
    const known = all.map(({ keyname }) => keyname)
    throw problem('usage/bad-argument', `The layer has no field "${name}".`, {
      hint:
        findHint(name, known) ??
        (known.length > 0 ? `Use one of ${known.join(', ')}.` : 'Omit --fields: the layer has no fields.'),
    })
  })
}

async function* readFeatures(
  api: Api,
  { layer, fields, options, how }: TableRequest & { readonly how: GeometryForm },
  signal: AbortSignal,
): AsyncGenerator<WireFeature> {
  const filter = readFilter(options)
  const answer = await api.open('feature.list', {
    params: { id: layer.resource.id ?? 0 },
    query: {
      ...filter.query,
      ...how,
      limit: Number(options.number),
      dt_format: 'iso',
      extensions: [],
      ...(options.fields === undefined ? {} : { fields: fields.map(({ keyname }) => keyname) }),
      ...(options.geom === false ? { geom: false } : {}),
      ...(options.orderBy === undefined ? {} : { order_by: options.orderBy as string[] }),
    },
    more: filter.more,
    signal,
  })
  for await (const item of splitArray(answer.body)) yield JSON.parse(item) as WireFeature
}

async function writeGeoJson(api: Api, request: TableRequest, terminal: Terminal): Promise<void> {
  // GeoJSON coordinates are always degrees. @see RFC 7946 clause 4
  const how = { geom_format: 'geojson', srs: degrees } as const
  const features = readFeatures(api, { ...request, how }, terminal.interrupt)
  await streamOut(geoJsonLines(features), terminal)
}

async function* geoJsonLines(features: AsyncIterable<WireFeature>): AsyncGenerator<string> {
  for await (const { id, geom = null, fields } of features)
    yield `${JSON.stringify({ type: 'Feature', id, geometry: geom, properties: fields })}\n`
}

async function writeTable(api: Api, request: TableRequest, terminal: Terminal): Promise<void> {
  const { layer, options } = request
  const srs = Number(options.srs)
  const found: WireFeature[] = []
  for await (const feature of readFeatures(
    api,
    { ...request, how: { geom_format: 'wkt', srs } },
    terminal.interrupt,
  ))
    found.push({ ...feature, geom: showGeometry(feature.geom, srs) })
  const paint = painter(terminal.colour)
  const columns = columnsOf(request, found)
  const table = formatFeatureTable(columns, { width: terminal.width, paint })
  const total = await countFeatures(api, layer.resource.id ?? 0, terminal.interrupt)
  const facts = [countOf(total, 'feature'), ...describeSrs(layer, options.geom === false ? undefined : srs)]
  writeLine(terminal.out, `${nameLayer(layerFacts(layer))}: ${facts.join(', ')}`)
  writeLine(terminal.out, table.text)
  if (found.length === 0)
    writeLine(terminal.err, total === 0 ? 'The layer has no features.' : 'No feature matches the filter.')
  if (table.leftOut.length > 0)
    writeLine(terminal.err, `not shown: ${table.leftOut.join(', ')} (select with --fields)`)
}

/** Describes the reference systems of the shown coordinates, if any, and of the layer. */
function describeSrs(layer: Layer, shown: number | undefined): string[] {
  const own = (layer as unknown as Record<string, { srs?: { id?: number } } | undefined>)[layer.resource.cls]
    ?.srs
  return [
    ...(shown === undefined ? [] : [`coordinates in EPSG:${shown}`]),
    ...(own?.id === undefined ? [] : [`layer in EPSG:${own.id}`]),
  ]
}

function columnsOf({ layer, fields, options }: TableRequest, found: readonly WireFeature[]): FeatureColumn[] {
  const geometryType = layer.vector_layer?.geometry_type ?? 'GEOMETRY'
  const geometry = {
    name: 'geom',
    type: geometryType,
    isNumber: false,
    cells: found.map(({ geom }) => String(geom)),
  }
  return [
    { name: 'id', type: '', isNumber: true, cells: found.map(({ id }) => String(id)) },
    ...fields.map(({ keyname, datatype }) => ({
      name: keyname,
      type: datatype,
      isNumber: ['INTEGER', 'BIGINT', 'REAL'].includes(datatype),
      cells: found.map((feature) => showCell(feature.fields[keyname])),
    })),
    ...(options.geom === false ? [] : [geometry]),
  ]
}

/** Distinguishes null from an empty string. */
const nothing = '(null)'

const showCell = (value: unknown) => (value === null || value === undefined ? nothing : String(value))

const showGeometry = (geom: unknown, srs: number) =>
  typeof geom === 'string' ? shortenWkt(geom, srs === degrees) : nothing
