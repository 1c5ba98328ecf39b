import { countExtensions, type ReadAttachment, type ReadExtensions } from '../../../api/read_extensions.ts'
import { countOf } from '../../../core/count.ts'
import type { Issue } from '../../../core/issue.ts'
import { joinPointer, type Pointer } from '../../../core/pointer.ts'
import type { WantedAttachment, WantedFeatures, WantedResource } from '../../../manifest/manifest.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import type {
  AttachmentItem,
  Edit,
  FeatureItem,
  FeaturePart,
  FeaturesChange,
  FileUpload,
} from '../../model/change.ts'
import { digestValue, featurePartOf } from '../../model/edit_digest.ts'
import { issueAt } from '../issue_at.ts'
import type { SourceFile } from './decide_load.ts'
import { featurePartNames, featureParts } from './feature_parts.ts'

/** Difference between the descriptions and attachments of features in a block and those on the server. */
export interface ExtensionsDiff {
  /** Added, changed and removed descriptions and attachments, by the key of the feature. */
  readonly edits: readonly Edit[]
  /** What to write; undefined if nothing changes. */
  readonly change: FeaturesChange | undefined
  /** Pointers of what the caller cannot read. */
  readonly unknown: readonly Pointer[]
  /** Number of descriptions and of attachments on the server; absent for parts that are not managed. */
  readonly there: Readonly<Partial<Record<FeaturePart, number>>>
}

const none: ExtensionsDiff = { edits: [], change: undefined, unknown: [], there: {} }

/** What a comparison needs to know. */
export interface ExtensionsState {
  /** Features of the layer; null if the caller cannot read them. */
  readonly there: readonly ReadExtensions[] | null
  readonly digests: ReadonlyMap<string, SourceFile>
  /** Whether a load replaces the features, with all that they have. */
  readonly isReloaded: boolean
}

/**
 * Compares the descriptions and attachments of features with those that the block lists: attachments by name and digest.
 * Those that the block does not list are removed. Pure.
 */
export function compareExtensions(
  { features }: Pick<WantedResource, 'features'>,
  { there, digests, isReloaded }: ExtensionsState,
): ExtensionsDiff {
  if (features === undefined) return none
  if (there === null) return { ...none, unknown: ['/features'] }
  const found = Map.groupBy(there, ({ key }) => key)
  // What has no key of its own can only be removed together with the rest.
  const isWhole = isReloaded || there.some(({ key, same }) => key === null || same > 1)
  const { descriptions, attachments } = features
  const keys = new Set([
    ...[...found.keys()].flatMap((key) => key ?? []),
    ...(descriptions?.keys() ?? []),
    ...(attachments?.keys() ?? []),
  ])
  const compared = [...keys].sort().map((key) => compareOne(features, { key, found, digests, isWhole }))
  const edits = [...compared.flatMap((one) => one.edits), ...removedEdits(features, found.get(null) ?? [])]
  const items = compared.flatMap(({ item }) => (Object.keys(item).length > 1 ? [item] : []))
  const clear = [
    ...(isWhole && descriptions !== undefined ? (['description'] as const) : []),
    ...(isWhole && attachments !== undefined ? (['attachment'] as const) : []),
  ]
  const isSame = edits.length === 0 && !isReloaded
  return {
    ...{ edits, unknown: [], there: countManaged(features, there) },
    change: isSame
      ? undefined
      : { key: features.key, clear, items, digests: digestParts(features, there, digests) },
  }
}

/** Digests what the manifest lists and what the server has, so that a later comparison tells which of them changed. */
function digestParts(
  { descriptions, attachments }: WantedFeatures,
  there: readonly ReadExtensions[],
  digests: ExtensionsState['digests'],
): FeaturesChange['digests'] {
  const nameOf = ({ id, key }: ReadExtensions) => key ?? `#${id}`
  const texts = there.flatMap((one) => (one.description === null ? [] : [[nameOf(one), one.description]]))
  const files = there.flatMap((one) => one.attachments.map(({ name, digest }) => [nameOf(one), name, digest]))
  const listed = [...(attachments ?? [])].flatMap(([key, list]) =>
    list.map(({ name, path }) => [key, name, digests.get(path)?.sha256 ?? '']),
  )
  const pair = (wanted: readonly string[][], found: readonly string[][]) => ({
    wanted: digestRows(wanted),
    there: digestRows(found),
  })
  return {
    ...(descriptions === undefined ? {} : { descriptions: pair([...descriptions], texts) }),
    ...(attachments === undefined ? {} : { attachments: pair(listed, files) }),
  }
}

const digestRows = (rows: readonly string[][]) => digestValue(rows.map((row) => JSON.stringify(row)).sort())

function countManaged(features: WantedFeatures, there: readonly ReadExtensions[]): ExtensionsDiff['there'] {
  const counts = countExtensions(there)
  const managed = featureParts.filter((part) => features[part] !== undefined)
  return Object.fromEntries(managed.map((part) => [part, counts[part]]))
}

interface OneFeature {
  readonly key: string
  readonly found: ReadonlyMap<string | null, readonly ReadExtensions[]>
  readonly digests: ReadonlyMap<string, SourceFile>
  readonly isWhole: boolean
}

function compareOne(
  { descriptions, attachments }: WantedFeatures,
  { key, found, digests, isWhole }: OneFeature,
): { readonly edits: readonly Edit[]; readonly item: FeatureItem } {
  const [old, ...others] = found.get(key) ?? []
  const edits: Edit[] = []
  const item: { -readonly [K in keyof FeatureItem]: FeatureItem[K] } = { key }
  if (descriptions !== undefined) {
    const [from, to] = [old?.description ?? undefined, descriptions.get(key)]
    if (from !== to) edits.push(editOf(joinPointer('/features/descriptions', key), from, to))
    if (isWhole ? to !== undefined : from !== to) item.description = to ?? null
  }
  if (attachments !== undefined) {
    const wanted = attachments.get(key) ?? []
    const compared = compareAttachments(wanted, { key, there: old?.attachments ?? [], digests, isWhole })
    edits.push(...compared.edits)
    if (isWhole ? wanted.length > 0 : compared.edits.length > 0) item.attachments = compared.items
  }
  edits.push(...removedEdits({ key: '', descriptions, attachments }, others))
  return { edits, item }
}

/** Edits of features without a key of their own. */
function removedEdits(
  { descriptions, attachments }: { readonly [K in keyof WantedFeatures]: WantedFeatures[K] | undefined },
  features: readonly ReadExtensions[],
): Edit[] {
  return features.flatMap(({ id, description, attachments: list }) => [
    ...(descriptions === undefined || description === null
      ? []
      : [editOf(joinPointer('/features/descriptions', `#${id}`), description, undefined)]),
    ...(attachments === undefined ? [] : list.map((one) => attachmentEdit(`#${id}`, one, undefined))),
  ])
}

interface Comparison extends Pick<OneFeature, 'key' | 'digests' | 'isWhole'> {
  readonly there: readonly ReadAttachment[]
}

function compareAttachments(
  wanted: readonly WantedAttachment[],
  { key, there, digests, isWhole }: Comparison,
): { readonly edits: readonly Edit[]; readonly items: readonly AttachmentItem[] } {
  const byName = Map.groupBy(there, ({ name }) => name)
  const edits: Edit[] = []
  const items = wanted.map((one): AttachmentItem => {
    const upload = uploadOf(one, digests)
    const [old] = byName.get(one.name) ?? []
    byName.set(one.name, byName.get(one.name)?.slice(1) ?? [])
    const described = one.description === undefined ? {} : { description: one.description }
    const isSameFile = old !== undefined && isSame(upload, old)
    const isSameText = one.description === undefined || one.description === (old?.description ?? '')
    if (!isSameFile || !isSameText) edits.push(attachmentEdit(key, old, { ...one, upload }))
    return isSameFile && !isWhole ? { id: old.id, ...described } : { name: one.name, upload, ...described }
  })
  for (const old of [...byName.values()].flat()) edits.push(attachmentEdit(key, old, undefined))
  return { edits, items }
}

function uploadOf({ path, mimeType }: WantedAttachment, digests: Comparison['digests']): FileUpload {
  const { sha256 = '', sizeBytes = 0 } = digests.get(path) ?? {}
  return { path, sha256, sizeBytes, ...(mimeType === undefined ? {} : { mimeType }) }
}

function isSame({ sha256, mimeType }: FileUpload, old: ReadAttachment): boolean {
  return old.digest === sha256 && (mimeType === undefined || mimeType === old.mime_type)
}

function editOf(pointer: Pointer, from: string | undefined, to: string | undefined): Edit {
  return {
    pointer,
    ...(from === undefined ? {} : { from, loses: 'the description' }),
    ...(to === undefined ? {} : { to }),
  }
}

function attachmentEdit(
  key: string,
  from: ReadAttachment | undefined,
  to: (WantedAttachment & { readonly upload: FileUpload }) | undefined,
): Edit {
  const name = from?.name ?? to?.name ?? ''
  const isTyped = to === undefined || to.mimeType !== undefined
  const isDescribed = to === undefined ? from?.description !== null : to.description !== undefined
  return {
    pointer: joinPointer('/features/attachments', key, name),
    ...(from === undefined
      ? {}
      : { from: factsOf({ ...from, description: from.description ?? '' }, { isTyped, isDescribed }) }),
    ...(to === undefined
      ? {}
      : {
          to: factsOf(
            {
              ...{ size: to.upload.sizeBytes, digest: to.upload.sha256 },
              ...{ mime_type: to.mimeType, description: to.description },
            },
            { isTyped, isDescribed },
          ),
        }),
    ...(from !== undefined && from.digest !== to?.upload.sha256 ? { loses: 'the content' } : {}),
  }
}

interface Facts {
  readonly size: number
  readonly digest: string
  readonly mime_type: string | undefined
  readonly description: string | undefined
}

const factsOf = (
  { size, digest, mime_type, description }: Facts,
  shows: { readonly isTyped: boolean; readonly isDescribed: boolean },
) => ({
  ...{ size, digest },
  ...(shows.isTyped ? { mime_type } : {}),
  ...(shows.isDescribed ? { description } : {}),
})

/** Fraction of the descriptions, and of the attachments, of a layer that a plan may remove without permission. */
const fuse = 0.5

/**
 * Refuses a change that removes most descriptions, or most attachments, such as when a pattern matches fewer files. Each part is
 * counted by itself: many of one do not hide that all of the other are lost. Pure.
 */
export function checkExtensionLoss(wanted: WantedResource, { edits, there }: ExtensionsDiff): Issue[] {
  const gone = edits.filter(({ to }) => to === undefined)
  return featureParts.flatMap((part): Issue[] => {
    const removed = gone.filter((edit) => featurePartOf(edit) === part).length
    const count = there[part] ?? 0
    if (removed <= count * fuse) return []
    const message = `"${wanted.key}" would lose ${removed} of ${countOf(count, featurePartNames[part])}`
    const hint = `Check features.${part}. If the loss is intended, use --allow-loss ${wanted.key}.`
    return [{ ...issueAt(wanted, 'plan/file-loss', message, `/features/${part}`), hint }]
  })
}

/** Tells whether a layer has the field that identifies its features. */
export function hasKeyField({ members }: ActualResource, { key }: WantedFeatures): boolean {
  const { fields } = (members.feature_layer ?? {}) as {
    readonly fields?: readonly { readonly keyname: string }[]
  }
  return fields?.some(({ keyname }) => keyname === key) ?? true
}
