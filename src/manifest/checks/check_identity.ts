import type { Issue } from '../../core/issue.ts'
import { findAtPointer } from '../../core/pointer.ts'
import { formatSpan } from '../../core/span.ts'
import { redactValue } from '../../document/redact.ts'
import { isLabelled } from '../../document/yaml_files.ts'
import type { BlockTree } from '../block_tree.ts'
import { type Block, blockIssue, formatClasses, type PlacedBlock, placeOf } from '../manifest_block.ts'
import { issueAt, keySpanOf, type ManifestSource, showAt } from '../resolve_source.ts'
import { manifestSections } from '../schema/manifest_schema.ts'
import { fileValidator } from '../validators.ts'

/** Checks what identifies a resource on the server: `existing`, `id`, `was`, and the device of a tracker. */
export function checkIdentity({ blocks }: BlockTree): Issue[] {
  const list = [...blocks.values()]
  return [
    ...list.flatMap(checkExisting),
    ...list.flatMap((block) => checkWas(block, blocks, ({ existing }) => !existing)),
    ...checkUnique(list, 'id'),
    ...checkUnique(list, 'was'),
    ...checkUnique(list, 'tracker/unique_id'),
  ]
}

function checkExisting(block: Block): Issue[] {
  if (!block.existing) return []
  const refuse = (field: string, message: string) =>
    blockIssue(block, { code: 'manifest/conflict', pointer: `/${field}`, message, at: 'key' })
  const owned = ['data', 'features', 'files', 'file'].filter((field) => block.value[field] !== undefined)
  return [
    ...owned.map((field) => {
      const what = field === 'data' ? 'load its data' : 'store its files'
      return refuse(field, `the manifest does not manage this resource (existing: true) and cannot ${what}`)
    }),
    ...(block.value.was === undefined || block.cls === undefined
      ? []
      : [refuse('was', 'the manifest does not manage this resource (existing: true) and cannot rename it')]),
  ]
}

/**
 * Checks the old key of a renamed block.
 *
 * @param canSwap tells whether another block can have the old key
 */
export function checkWas<B extends PlacedBlock>(
  block: B,
  blocks: ReadonlyMap<string, B>,
  canSwap: (other: B) => boolean = () => false,
): Issue[] {
  const { was, id } = block.value
  if (typeof was !== 'string') return []
  const refuse = (message: string, hint: string) => [
    blockIssue(block, { code: 'manifest/conflict', pointer: '/was', message, hint }),
  ]
  if (was === block.key) return refuse('the old key equals the new one', 'remove was:')
  if (id !== undefined) return refuse('was: and id: both identify the resource', 'remove one of them')
  const other = blocks.get(was)
  if (other === undefined || canSwap(other)) return []
  // Users, groups and records of the catalog.
  const isRenamed = typeof other.value.was === 'string' && other.value.existing !== true
  const hint = isRenamed
    ? `rename ${JSON.stringify(was)} to a key that nothing has, apply, and then give its key away: only resources pass on their keys in one apply`
    : 'remove was:'
  return refuse(`the old key ${JSON.stringify(was)} is still used in ${placeOf(other)}`, hint)
}

/** Checks that no two blocks have the same value of a field. */
export function checkUnique(
  blocks: readonly PlacedBlock[],
  field: 'id' | 'was' | 'guid' | 'tracker/unique_id',
): Issue[] {
  const pointer = `/${field}`
  const seen = new Map<unknown, PlacedBlock>()
  return blocks.flatMap((block) => {
    const value = findAtPointer(block.value, pointer)
    if (value === undefined) return []
    const first = seen.get(value)
    if (first === undefined) seen.set(value, block)
    if (first === undefined) return []
    const name = field.slice(field.indexOf('/') + 1)
    const message = `${JSON.stringify(first.key)} has the same ${name} in ${placeOf(first)}`
    return [blockIssue(block, { code: 'manifest/conflict', pointer, message })]
  })
}

/** Checks the top level of a file: `manifest:` and at least one section, none of them empty. */
export function checkTopLevel(source: ManifestSource): Issue[] {
  if (isLabelled(source.value, 'pipeline', 'manifest')) return [pipelineInstead(source)]
  const show = (pointer: string, part: unknown) => redactValue(part, pointer, source.expressions)
  const isMap = typeof source.value === 'object' && source.value !== null && !Array.isArray(source.value)
  const sections = (isMap ? source.value : {}) as Readonly<Record<string, unknown>>
  const present = manifestSections.filter((section) => Object.hasOwn(sections, section))
  const empty = present.filter((section) => isMissingContent(section, sections[section]))
  const faults = fileValidator()(source.value, show)
    .filter(({ pointer }) => !empty.some((section) => pointer === `/${section}`))
    .map(({ kind, pointer, message, hint }) =>
      issueAt(source, {
        code: `manifest/${kind}`,
        pointer,
        message: pointer === '' || kind === 'unknown-field' ? message : `${pointer.slice(1)}: ${message}`,
        hint,
        at: kind === 'bad-value' ? 'value' : 'key',
      }),
    )
  const isLibrary = Object.hasOwn(sections, 'fragments')
  const missing = isMap && present.length === 0 && !isLibrary ? [withoutSections(source)] : []
  return [...faults, ...missing, ...empty.map((section) => emptySection(source, section))]
}

/** Tells whether a section looks truncated. Of records, `{}` is none on purpose: all that the manifest had are deleted. */
function isMissingContent(section: (typeof manifestSections)[number], value: unknown): boolean {
  if (value === null) return true
  return section === 'resources' && typeof value === 'object' && Object.keys(value).length === 0
}

function withoutSections(source: ManifestSource): Issue {
  return issueAt(source, {
    code: 'manifest/missing-field',
    pointer: '',
    message: `missing field ${formatClasses(manifestSections.map((section) => `"${section}"`))}`,
    hint: 'write at least one of these sections',
    at: 'key',
  })
}

function pipelineInstead(source: ManifestSource): Issue {
  return issueAt(source, {
    code: 'manifest/unknown-field',
    pointer: '/pipeline',
    message: 'the file is a pipeline, not a manifest',
    hint: 'run it with "landform run FILE", and keep it in a separate folder such as pipelines',
    at: 'key',
  })
}

function emptySection(source: ManifestSource, section: string): Issue {
  return issueAt(source, {
    code: 'manifest/empty',
    pointer: `/${section}`,
    message: `the file has no ${section}`,
    hint: `restore the file${emptyHint(section)}`,
    at: 'key',
  })
}

function emptyHint(section: string): string {
  if (section === 'users' || section === 'groups') return ', or remove the section'
  if (section === 'resources') return '; to delete resources, remove their blocks and plan with --prune'
  return `; to delete all ${section} of the manifest, write {} and plan with --prune`
}

/** Checks that all files have the same manifest id. */
export function checkManifestIds(sources: readonly ManifestSource[]): Issue[] {
  const idOf = (source: ManifestSource) => (source.value as { manifest?: unknown } | null)?.manifest
  const [first, ...others] = sources.filter((source) => typeof idOf(source) === 'string')
  if (first === undefined) return []
  return others
    .filter((source) => idOf(source) !== idOf(first))
    .map((source) =>
      issueAt(source, {
        code: 'manifest/two-ids',
        pointer: '/manifest',
        message: `manifest ${showAt(source, '/manifest')} is loaded together with ${showAt(first, '/manifest')} of ${formatSpan(keySpanOf(first, '/manifest'))}`,
        hint: 'all files of a manifest have the same id; load other manifests separately',
      }),
    )
}
