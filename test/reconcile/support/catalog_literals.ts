import type { CatalogReading } from '../../../src/api/read_catalog.ts'
import type { CatalogKind, GeoserviceRecord, IconRecord } from '../../../src/contract/catalog/catalog_edit.ts'
import type { WantedCatalog, WantedRecord } from '../../../src/manifest/manifest.ts'
import { type CatalogPlan, planCatalog } from '../../../src/reconcile/catalog/plan_catalog.ts'
import { type PlanOptions, safeOptions } from '../../../src/reconcile/model/plan_input.ts'

/** A geoservice as a test writes it; its name is the key and its type geojson where they are left out. */
export interface ServiceBlock extends Readonly<Record<string, unknown>> {
  readonly was?: string
}

/** A record of the server as a test writes it; managed by the manifest `test` where `manifest` is left out. */
export interface RecordRow extends Readonly<Record<string, unknown>> {
  readonly id: number
  readonly keyname?: string | null
}

/** Digest of the image of every icon, here and there, unless a test says otherwise. */
export const digest = 'd1'.repeat(32)

/** Makes the records of a manifest. The images of its icons are `KEY.svg` in a folder. */
export function catalogOf(
  services: Readonly<Record<string, ServiceBlock>>,
  icons: Readonly<Record<string, ServiceBlock>> = {},
  folder = '/m',
): WantedCatalog {
  const list = (kind: CatalogKind, blocks: Readonly<Record<string, ServiceBlock>>) =>
    new Map(
      Object.entries(blocks).map(([key, block]) => [key, recordOf(kind, { key, block, folder })] as const),
    )
  return { icon: list('icon', icons), geoservice: list('geoservice', services) }
}

interface Entry {
  readonly key: string
  readonly block: ServiceBlock
  readonly folder: string
}

function recordOf(kind: CatalogKind, { key, block, folder }: Entry): WantedRecord {
  const { was, ...members } = block
  const service = { type: 'geojson', name: key, url: 'https://example.org/a.json' }
  return {
    key,
    kind,
    ...(was === undefined ? {} : { was }),
    members: { ...(kind === 'icon' ? { name: key } : service), ...members },
    ...(kind === 'icon' ? { image: { path: `${folder}/${key}.svg`, source: `${key}.svg` } } : {}),
    spanOf: () => ({ file: 'test.yaml', line: 1, column: 1, endLine: 1, endColumn: 2 }),
  }
}

/** Makes the records of a server. */
export function readingOf(
  services: readonly RecordRow[],
  icons: readonly RecordRow[] = [],
): Exclude<CatalogReading, string> {
  const shared = (row: RecordRow) => ({
    version: 1,
    keyname: null,
    manifest: 'test',
    name: row.keyname ?? `#${row.id}`,
    guid: guidOf(row.id),
  })
  const service = { type: 'geojson', url: 'https://example.org/a.json', icon: null, cumulative_status: null }
  return {
    icons: icons.map((row) => ({ ...shared(row), digest, ...row }) as IconRecord),
    geoservices: services.map((row) => ({ ...shared(row), ...service, ...row }) as GeoserviceRecord),
  }
}

/** Returns the global identifier of a record of the server. */
export const guidOf = (id: number) => `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`

/** What a test plans. */
export interface CatalogCase {
  readonly services?: Readonly<Record<string, ServiceBlock>>
  readonly icons?: Readonly<Record<string, ServiceBlock>>
  readonly there?: CatalogReading
  readonly options?: Partial<PlanOptions>
  /** Digests of images by key. */
  readonly digests?: Readonly<Record<string, string>>
}

/** Plans records against those of a server. */
export function planRecords({
  services = {},
  icons = {},
  there,
  options,
  digests,
}: CatalogCase): CatalogPlan {
  const all = { ...Object.fromEntries(Object.keys(icons).map((key) => [key, digest])), ...digests }
  return planCatalog({
    wanted: catalogOf(services, icons),
    manifestId: 'test',
    owns: true,
    catalog: there ?? readingOf([]),
    images: new Map(Object.entries(all).map(([key, sha256]) => [key, { sha256, sizeBytes: 1 }])),
    options: { ...safeOptions, ...options },
  })
}
