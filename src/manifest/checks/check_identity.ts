import type { Issue } from '../../core/issue.ts'
import { formatSpan } from '../../core/span.ts'
import { redactValue } from '../../document/redact.ts'
import { isLabelled } from '../../document/yaml_files.ts'
import type { BlockTree } from '../block_tree.ts'
import { type Block, blockIssue, placeOf } from '../manifest_block.ts'
import { issueAt, keySpanOf, type ManifestSource, showAt } from '../resolve_source.ts'
import { fileValidator } from '../validators.ts'

/** Checks the fields that identify a resource on the server: `existing`, `id` and `was`. */
export function checkIdentity({ blocks }: BlockTree): Issue[] {
  const list = [...blocks.values()]
  return [
    ...list.flatMap(checkExisting),
    ...list.flatMap((block) => checkWas(block, blocks)),
    ...checkUnique(list, 'id'),
    ...checkUnique(list, 'was'),
  ]
}

function checkExisting(block: Block): Issue[] {
  if (!block.existing) return []
  const refuse = (field: string, message: string) =>
    blockIssue(block, { code: 'manifest/conflict', pointer: `/${field}`, message, at: 'key' })
  return [
    ...(block.value.data === undefined
      ? []
      : [
          refuse(
            'data',
            'the manifest does not manage this resource (existing: true) and cannot load its data',
          ),
        ]),
    ...(block.value.was === undefined || block.cls === undefined
      ? []
      : [refuse('was', 'the manifest does not manage this resource (existing: true) and cannot rename it')]),
  ]
}

function checkWas(block: Block, blocks: ReadonlyMap<string, Block>): Issue[] {
  const { was, id } = block.value
  if (typeof was !== 'string') return []
  const refuse = (message: string, hint: string) => [
    blockIssue(block, { code: 'manifest/conflict', pointer: '/was', message, hint }),
  ]
  if (was === block.key) return refuse('the old key equals the new one', 'remove was:')
  if (id !== undefined) return refuse('was: and id: both identify the resource', 'remove one of them')
  const other = blocks.get(was)
  if (other === undefined) return []
  return refuse(`the old key ${JSON.stringify(was)} is still used in ${placeOf(other)}`, 'remove was:')
}

function checkUnique(blocks: readonly Block[], field: 'id' | 'was'): Issue[] {
  const seen = new Map<unknown, Block>()
  return blocks.flatMap((block) => {
    const value = block.value[field]
    if (value === undefined) return []
    const first = seen.get(value)
    if (first === undefined) seen.set(value, block)
    if (first === undefined) return []
    const message = `${JSON.stringify(first.key)} has the same ${field} in ${placeOf(first)}`
    return [blockIssue(block, { code: 'manifest/conflict', pointer: `/${field}`, message })]
  })
}

/** Checks the top level of a file: only `manifest:` and `resources:` are allowed. */
export function checkTopLevel(source: ManifestSource): Issue[] {
  if (isLabelled(source.value, 'pipeline', 'manifest')) return [pipelineInstead(source)]
  const show = (pointer: string, part: unknown) => redactValue(part, pointer, source.expressions)
  const { resources } = (source.value ?? {}) as { resources?: unknown }
  const isEmpty = resources === null || (typeof resources === 'object' && Object.keys(resources).length === 0)
  const faults = fileValidator()(source.value, show)
    .filter(({ pointer }) => !isEmpty || pointer !== '/resources')
    .map(({ kind, pointer, message, hint }) =>
      issueAt(source, {
        code: `manifest/${kind}`,
        pointer,
        message: pointer === '' || kind === 'unknown-field' ? message : `${pointer.slice(1)}: ${message}`,
        hint,
        at: kind === 'bad-value' ? 'value' : 'key',
      }),
    )
  return isEmpty ? [...faults, withoutResources(source)] : faults
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

function withoutResources(source: ManifestSource): Issue {
  return issueAt(source, {
    code: 'manifest/empty',
    pointer: '/resources',
    message: 'the file has no resources',
    hint: 'restore the file; to delete resources, remove their blocks and plan with --prune',
    at: 'key',
  })
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
