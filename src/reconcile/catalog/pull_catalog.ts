import { isDeepStrictEqual } from 'node:util'
import PQueue from 'p-queue'
import type { Api } from '../../api/api.ts'
import { type CatalogKind, catalogKeyPattern } from '../../contract/catalog/catalog_edit.ts'
import { detectIconFormat } from '../../contract/formats/icon_format.ts'
import { problem } from '../../contract/problems.ts'
import type { Issue } from '../../core/issue.ts'
import type { WrittenBlock } from '../../manifest/rewrite.ts'
import { indexPrincipals } from '../model/principals.ts'
import { isCompared, toWantedForm } from '../model/value_equality.ts'
import { createKeyMaker, slugOf } from '../pull/slug.ts'
import { warnOfManagers } from '../pull/warn_of_managers.ts'
import { type ActualCatalog, type ActualRecord, indexCatalog } from './actual_catalog.ts'
import { readRecords } from './read_records.ts'
import { memberSchemas } from './record_schema.ts'

/** Maximum number of concurrent requests for images. */
const maxRequests = 8

/** Records to pull. */
export interface CatalogPullRequest {
  /** Id of the new manifest. */
  readonly manifestId: string
  /** Manifest whose records are pulled; all records if absent. */
  readonly of?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Records as sections of a manifest, with the images of the icons. */
export interface CatalogPull {
  readonly icons: Readonly<Record<string, WrittenBlock>>
  readonly geoservices: Readonly<Record<string, WrittenBlock>>
  /** Images by path, relative to the manifest. */
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly issues: readonly Issue[]
}

/**
 * Reads records of a catalog as sections of a manifest whose plan only adopts them. Keys are keynames, or derived from
 * the name; icons that are not pulled are referred to by global identifier.
 *
 * @throws {Problem} access/denied, catalog/absent, plan/missing if there are no records
 */
export async function pullCatalog(api: Api, request: CatalogPullRequest): Promise<CatalogPull> {
  const { of, manifestId, signal } = request
  const actual = indexCatalog(await readRecords(api, signal))
  const isPulled = ({ manifest }: ActualRecord) => of === undefined || manifest === of
  const icons = assignKeys(actual, 'icon', isPulled)
  const queue = new PQueue({ concurrency: maxRequests })
  const services = assignKeys(actual, 'geoservice', isPulled)
  if (icons.size + services.size === 0) {
    const whose = of === undefined ? '' : ` of the manifest "${of}"`
    throw problem('plan/missing', `The catalog has no records${whose}.`, {
      hint: 'Check the server and the id.',
    })
  }
  const images = await queue.addAll(
    [...icons].map(
      ([id, key]) =>
        () =>
          readImage(api, { id, key, signal }),
    ),
  )
  const all = [...actual.icon.values(), ...actual.geoservice.values()]
  const owners = all.map((one) => ({ manager: one.manifest ?? undefined, isPulled: isPulled(one) }))
  return {
    icons: blocksOf(actual.icon, icons, (icon, key) => ({
      ...writeMembers(icon, icons),
      image: images.find((image) => image.key === key)?.path,
    })),
    geoservices: blocksOf(actual.geoservice, services, (service) => {
      const block = writeMembers(service, icons)
      return 'icon' in block ? { ...block, icon: portableIcon(block.icon, actual) } : block
    }),
    files: new Map(images.map(({ path, bytes }) => [path, bytes] as const)),
    issues: warnOfManagers(owners, manifestId, 'record'),
  }
}

const keyRegExp = new RegExp(catalogKeyPattern)

type Keys = ReadonlyMap<number, string>

/** Assigns keys to the pulled records of a kind, in the order of their keys. */
function assignKeys(
  actual: ActualCatalog,
  kind: CatalogKind,
  isPulled: (record: ActualRecord) => boolean,
): Keys {
  const records = [...actual[kind].values()]
  const taken = new Set(records.map(({ keyname }) => keyname))
  const maker = createKeyMaker((key) => taken.has(key))
  const keys = records.filter(isPulled).map(({ id, keyname, name }) => {
    // Keys start with a letter. They name files: a server may send others.
    const slug = slugOf(name)
    const base = /^[a-z]/.test(slug) ? slug : `${kind}_${slug || id}`
    return [id, keyname !== null && keyRegExp.test(keyname) ? keyname : maker.make(base, base)] as const
  })
  return new Map(keys.sort(([, a], [, b]) => (a < b ? -1 : 1)))
}

function blocksOf(
  records: ReadonlyMap<number, ActualRecord>,
  keys: Keys,
  write: (record: ActualRecord, key: string) => WrittenBlock,
): Record<string, WrittenBlock> {
  const blocks = [...keys].flatMap(([id, key]) => {
    const record = records.get(id)
    return record === undefined ? [] : [[key, write(record, key)] as const]
  })
  return Object.fromEntries(blocks)
}

/** Writes the members of a record that differ from their defaults, with its type and name first. */
function writeMembers({ kind, members }: ActualRecord, keyOf: Keys): WrittenBlock {
  const names = { keyOf, principals: indexPrincipals([]) }
  const entries = Object.entries(memberSchemas(kind, members)).flatMap(([name, schema]) => {
    const value = members[name]
    if (value === undefined || !isCompared(schema) || isDeepStrictEqual(value, schema.default)) return []
    return [[name, toWantedForm(schema, value, names)] as const]
  })
  const { type, name, ...rest } = Object.fromEntries(entries)
  return { ...(type === undefined ? {} : { type }), name, ...rest }
}

/** Writes a reference to an icon that is not pulled by its global identifier, which is the same on every server. */
function portableIcon(icon: unknown, actual: ActualCatalog): unknown {
  const { id } = icon as { readonly id?: number }
  const guid = id === undefined ? undefined : actual.icon.get(id)?.guid
  return guid === undefined ? icon : { guid }
}

interface PulledImage {
  readonly key: string
  readonly path: string
  readonly bytes: Uint8Array
}

async function readImage(
  api: Api,
  {
    id,
    key,
    signal,
  }: { readonly id: number; readonly key: string; readonly signal: AbortSignal | undefined },
): Promise<PulledImage> {
  const { body } = await api.open('catalog.icon_image', { params: { id }, signal })
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk as Uint8Array)
  const bytes = Buffer.concat(chunks)
  return { key, path: `icons/${key}.${detectIconFormat(bytes) ?? 'img'}`, bytes }
}
