import { execFile, spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { json, text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { qgisPython } from './qgis_python.ts'

const script = fileURLToPath(new URL('ogc_client.py', import.meta.url))
const cache = fileURLToPath(new URL('../../.cache', import.meta.url))

/** Folder of the Python packages that the set-up of the tests installs. */
const folder = join(cache, readdirSync(cache).find((name) => name.startsWith('python-')) ?? 'python')
const env = { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' }

/** Documents of OGC, by the path of their schema in the tests of MapProxy. */
export const ogcSchemas = {
  'WMS 1.1.1 capabilities': 'wms/1.1.1/WMS_MS_Capabilities.dtd',
  'WMS 1.1.1 exception': 'wms/1.1.1/WMS_exception_1_1_1.dtd',
  'WMS 1.3.0 capabilities': 'sld/1.1.0/sld_capabilities.xsd',
  'WMS 1.3.0 exception': 'wms/1.3.0/exceptions_1_3_0.xsd',
  'WMTS capabilities': 'wmts/1.0/wmtsGetCapabilities_response.xsd',
  'OWS exception': 'ows/1.1.0/owsExceptionReport.xsd',
} as const

/** Returns what the schema of a document finds wrong with it. */
export async function findSchemaErrors(kind: keyof typeof ogcSchemas, document: string): Promise<string[]> {
  const schema = `${folder}/mapproxy/test/schemas/${ogcSchemas[kind]}`
  const child = spawn('python3', [script, 'validate', schema], { env })
  child.stdin.end(document)
  const [errors, log] = await Promise.all([json(child.stdout).catch(() => undefined), text(child.stderr)])
  if (errors === undefined) throw new Error(log)
  return errors as string[]
}

/** Folder of the schemas of WFS; undefined if they could not be fetched. */
const wfsFolder = readdirSync(cache).find((name) => /^ogc-schemas-\w+$/.test(name))

/** Whether documents of WFS can be validated. */
export const hasWfsSchemas = wfsFolder !== undefined

const ogcFolder = 'schemas.opengis.net'

/** Schemas of versions of WFS: namespaces and files. */
const wfsSchemas = {
  '1.0.0': [['http://www.opengis.net/gml', `${ogcFolder}/gml/2.1.2/feature.xsd`]],
  '1.1.0': [['http://www.opengis.net/wfs', `${ogcFolder}/wfs/1.1.0/wfs.xsd`]],
  '2.0.0': [['http://www.opengis.net/wfs/2.0', `${ogcFolder}/wfs/2.0/wfs.xsd`]],
} as const

/** A version of WFS. */
export type WfsVersion = keyof typeof wfsSchemas

/** A document of WFS. */
export interface WfsDocument {
  readonly title: string
  readonly version: WfsVersion
  readonly text: string
  /** Schemas of the types of its features. */
  readonly types?: readonly string[]
}

/**
 * Returns what the schemas of OGC, and those of its features, find wrong with each document. Version 1.0.0 has no schema for
 * other elements than features: these are validated.
 */
export async function findWfsErrors(documents: readonly WfsDocument[]): Promise<string[][]> {
  const child = spawn('python3', [script, 'validate-wfs', join(cache, wfsFolder ?? '')], { env })
  child.stdin.end(
    JSON.stringify(
      documents.map(({ version, text: document, types = [] }) => ({
        ...{ schemas: wfsSchemas[version], types, document },
      })),
    ),
  )
  const [errors, log] = await Promise.all([json(child.stdout).catch(() => undefined), text(child.stderr)])
  if (errors === undefined) throw new Error(log)
  return errors as string[][]
}

const run = promisify(execFile)

/** What OWSLib reads from a version of WMS. */
export interface OwslibMap {
  readonly title: string
  readonly layers: readonly string[]
  readonly box: readonly number[]
  readonly queryable: boolean
  readonly legend: string
  /** First bytes of a map. */
  readonly image: readonly number[]
  readonly features: readonly string[]
}

/** What OWSLib reads from WMTS. */
export interface OwslibTiles {
  readonly layers: readonly string[]
  readonly sets: readonly string[]
  readonly kvp: readonly number[]
  readonly resources: number
}

/** Reads a service with OWSLib. `url` is the address of the resource. */
export async function readWithOwslib(
  url: string,
  layer: string,
): Promise<Readonly<Record<'1.1.1' | '1.3.0', OwslibMap>> & { readonly wmts: OwslibTiles }> {
  const { stdout } = await run('python3', [script, 'owslib', url, layer], { env })
  return JSON.parse(stdout)
}

/** What OWSLib reads from a version of WFS. */
export interface OwslibFeatures {
  readonly title: string
  /** The first properties, by name. */
  readonly properties: readonly string[]
  readonly names: readonly string[]
}

/** What OWSLib reads from OGC API Features. */
export interface OwslibCollections {
  readonly collections: readonly string[]
  readonly queryables: boolean
  /** Names of the features in a box, and of those that meet a condition. */
  readonly names: readonly string[]
  readonly filtered: readonly string[]
}

/** Reads features with OWSLib. `url` is the address of the resource, `filter` an XML filter. */
export async function readFeaturesWithOwslib(
  url: string,
  {
    layer,
    filter,
    account,
  }: { readonly layer: string; readonly filter: string; readonly account: readonly string[] },
): Promise<
  Readonly<Record<'1.0.0' | '1.1.0' | '2.0.0', OwslibFeatures>> & { readonly api: OwslibCollections }
> {
  const { stdout } = await run('python3', [script, 'owslib-features', url, layer, filter, ...account], {
    env,
  })
  return JSON.parse(stdout)
}

/** Reports whether QGIS is installed. */
export async function hasQgis(): Promise<boolean> {
  return run(qgisPython, ['-c', 'import qgis.core']).then(
    () => true,
    () => false,
  )
}

/** What QGIS reads from a layer. */
export interface QgisMap {
  readonly error?: string
  /** Red, green and blue of a pixel. */
  readonly color: readonly number[]
  readonly text: readonly string[]
  readonly extent: readonly number[]
}

/** Draws layers with QGIS. */
export async function readWithQgis(uris: readonly string[]): Promise<QgisMap[]> {
  const own = { ...process.env, QT_QPA_PLATFORM: 'offscreen' }
  const { stdout } = await run(qgisPython, [script, 'qgis', ...uris], { env: own })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
}

/** What QGIS reads from a layer with features. */
export interface QgisFeatures {
  readonly error?: string
  readonly crs: string
  /** Names of all features, and of those in a box. */
  readonly names: readonly string[]
  readonly near: readonly string[]
}

/** Reads features with providers of QGIS. */
export async function readFeaturesWithQgis(
  sources: readonly (readonly [provider: string, uri: string])[],
): Promise<QgisFeatures[]> {
  const own = { ...process.env, QT_QPA_PLATFORM: 'offscreen' }
  const { stdout } = await run(qgisPython, [script, 'qgis-features', ...sources.flat()], { env: own })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
}
