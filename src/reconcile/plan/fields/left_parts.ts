import { countExtensions, type ExtensionsQuery, type ReadExtensions } from '../../../api/read_extensions.ts'
import { countOf, pluralOf } from '../../../core/count.ts'
import type { Issue } from '../../../core/issue.ts'
import type { WantedResource } from '../../../manifest/manifest.ts'
import { countFiles } from '../../model/actual_files.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import { findRecorded, listOwned, type RecordedFields } from '../../model/owned_fields.ts'
import type { PlanInput } from '../../model/plan_input.ts'
import type { Names } from '../../model/value_equality.ts'
import { featurePartNames, featureParts } from '../data/feature_parts.ts'
import { reportUncaptured } from '../data/plan_extensions.ts'
import { issueAt } from '../issue_at.ts'
import { notCaptured } from '../plan_reader.ts'
import { findOtherOwner, isLastingPart, listRemoved } from './removed_fields.ts'

/** What a manifest once set on a resource and no longer names, and what stays until it is deleted on request. */
export interface LeftParts {
  /** The block, with empty lists of what is deleted. */
  readonly block: WantedResource
  /** Names of fields that the record of the manifest keeps, so that later plans tell of them. */
  readonly kept: ReadonlySet<string>
  readonly issues: readonly Issue[]
  /** What must be read before the plan is final. */
  readonly unread: readonly ExtensionsQuery[]
}

/** A part of what features have, by the name of its field. */
const partOf = (name: string) => featureParts.find((part) => name === `features.${part}`)

interface RecordedResource {
  readonly actual: ActualResource
  readonly names: Names
  /** What the manifest is recorded to set. */
  readonly recorded: RecordedFields | undefined
}

/**
 * Plans the descriptions and attachments of features, and the files, that a block once listed: `--prune` deletes them. Returns the
 * record of the manifest with them. Pure.
 */
export function planLeftParts(
  input: PlanInput,
  wanted: WantedResource,
  { actual, names }: { readonly actual: ActualResource; readonly names: Names },
): LeftParts & Pick<RecordedResource, 'recorded'> {
  const recorded = findRecorded(actual, input.manifest.id, names.principals)
  return { ...planRecordedParts(input, wanted, { actual, names, recorded }), recorded }
}

function planRecordedParts(
  { manifest, extensions, options }: PlanInput,
  wanted: WantedResource,
  { actual, names, recorded }: RecordedResource,
): LeftParts {
  // Of most resources nothing of the kind is recorded.
  if (recorded === undefined || !hasLastingParts(recorded, actual.cls)) return nothingLeft(wanted)
  const owned = listOwned(wanted, actual.cls, names)
  const left = listRemoved(wanted, actual, { manifestId: manifest.id, owned, recorded })
    .map(({ name }) => name)
    .filter(
      (name) =>
        isLastingPart(name, actual.cls) &&
        findOtherOwner(actual, name, { manifestId: manifest.id, names }) === undefined,
    )
  if (left.length === 0) return nothingLeft(wanted)
  const isEmptied = options.prune && left.every((name) => name === 'files' || keyOf(wanted, actual) !== '')
  if (isEmptied) return nothingLeft(empty(wanted, actual, left))
  const read = extensions?.get(actual.id)
  const isUnread = read === undefined && left.some((name) => name !== 'files')
  const counts = left.map((name) => ({
    name,
    count: countLeft(name, actual, read === notCaptured ? null : read),
  }))
  const there = counts.filter(({ count }) => count !== 0)
  const isUncaptured = read === notCaptured && wanted.features === undefined
  return {
    block: wanted,
    kept: new Set(there.map(({ name }) => name)),
    issues: isUncaptured
      ? [reportUncaptured(wanted, '/features')]
      : there.flatMap((one) => (one.count === undefined ? [] : [reportLeft(wanted, one.name, one.count)])),
    // A block with features reads them by its key.
    unread: isUnread && wanted.features === undefined ? [{ id: actual.id }] : [],
  }
}

function hasLastingParts({ fields }: RecordedFields, cls: string): boolean {
  for (const name of fields.keys()) if (isLastingPart(name, cls)) return true
  return false
}

const nothingLeft = (block: WantedResource): LeftParts => ({ block, kept: new Set(), issues: [], unread: [] })

/** A field of the layer; any will do to delete all descriptions and attachments. */
function keyOf({ features }: WantedResource, { members }: ActualResource): string {
  const fields = (members.feature_layer?.fields ?? []) as readonly { readonly keyname: string }[]
  return features?.key ?? fields[0]?.keyname ?? ''
}

function empty(wanted: WantedResource, actual: ActualResource, left: readonly string[]): WantedResource {
  const parts = {
    ...(left.includes('features.descriptions') ? { descriptions: new Map() } : {}),
    ...(left.includes('features.attachments') ? { attachments: new Map() } : {}),
  }
  return {
    ...wanted,
    cls: wanted.cls ?? (actual.cls as NonNullable<WantedResource['cls']>),
    ...(left.includes('files') ? { files: [] } : {}),
    ...(Object.keys(parts).length === 0
      ? {}
      : { features: { key: keyOf(wanted, actual), ...wanted.features, ...parts } }),
  }
}

/** Counts what is left; undefined if it is not read yet, null if the account cannot read it. */
function countLeft(
  name: string,
  actual: ActualResource,
  read: readonly ReadExtensions[] | null | undefined,
): number | null | undefined {
  const part = partOf(name)
  if (part === undefined) return countFiles(actual)
  return read && countExtensions(read)[part]
}

function reportLeft(wanted: WantedResource, name: string, count: number | null): Issue {
  const { key } = wanted
  const part = partOf(name)
  const noun = part === undefined ? 'file' : featurePartNames[part]
  const what = count === null ? `may still have ${pluralOf(noun, 2)}` : `still has ${countOf(count, noun)}`
  const message = `"${key}" ${what} that this manifest has set, and no longer names`
  const hint = `To delete them, use --prune with --allow-loss ${key}. To keep them, name them in ${name} again.`
  return { ...issueAt(wanted, 'plan/left-behind', message), severity: 'warning', hint }
}
