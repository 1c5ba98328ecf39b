import type { Issue } from '../../core/issue.ts'
import { formatSpan } from '../../core/span.ts'
import { redactValue } from '../../document/redact.ts'
import type { BlockTree } from '../block_tree.ts'
import { type Block, blockIssue, placeOf } from '../manifest_block.ts'
import { issueAt, keySpanOf, type ManifestSource, showAt } from '../resolve_source.ts'
import { fileValidator } from '../validators.ts'

/** Checks what says which resource of the server a block is: `existing`, `id` and `was`. */
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
      : [refuse('data', 'others own the resource (existing: true), so its data are not loaded from here')]),
    ...(block.value.was === undefined || block.cls === undefined
      ? []
      : [refuse('was', 'others own the resource (existing: true), so it is not renamed from here')]),
  ]
}

function checkWas(block: Block, blocks: ReadonlyMap<string, Block>): Issue[] {
  const { was, id } = block.value
  if (typeof was !== 'string') return []
  const refuse = (message: string, hint: string) => [
    blockIssue(block, { code: 'manifest/conflict', pointer: '/was', message, hint }),
  ]
  if (was === block.key) return refuse('the old key is the same as the new one', 'remove was:')
  if (id !== undefined) return refuse('both was: and id: say which resource it is', 'keep one of the two')
  const other = blocks.get(was)
  if (other === undefined) return []
  return refuse(`the old key ${JSON.stringify(was)} is in use, in ${placeOf(other)}`, 'remove was:')
}

function checkUnique(blocks: readonly Block[], field: 'id' | 'was'): Issue[] {
  const seen = new Map<unknown, Block>()
  return blocks.flatMap((block) => {
    const value = block.value[field]
    if (value === undefined) return []
    const first = seen.get(value)
    if (first === undefined) seen.set(value, block)
    if (first === undefined) return []
    const message = `${JSON.stringify(first.key)} has the same ${field}, in ${placeOf(first)}`
    return [blockIssue(block, { code: 'manifest/conflict', pointer: `/${field}`, message })]
  })
}

/** Checks the top level of a file: `manifest:` and `resources:`, and nothing else. */
export function checkTopLevel(source: ManifestSource): Issue[] {
  if (isPipeline(source.value)) return [pipelineInstead(source)]
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

function isPipeline(value: unknown): boolean {
  return value !== null && typeof value === 'object' && 'pipeline' in value && !('manifest' in value)
}

function pipelineInstead(source: ManifestSource): Issue {
  return issueAt(source, {
    code: 'manifest/unknown-field',
    pointer: '/pipeline',
    message: 'the file is a pipeline, not a manifest',
    hint: 'run it with "landform run FILE", and keep it in a folder of its own, such as pipelines',
    at: 'key',
  })
}

function withoutResources(source: ManifestSource): Issue {
  return issueAt(source, {
    code: 'manifest/empty',
    pointer: '/resources',
    message: 'the file holds no resource',
    hint: 'was it emptied by mistake? To give resources up, remove their blocks, then plan with --prune',
    at: 'key',
  })
}

/** Checks that all files carry the same id. */
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
        hint: 'all files of one manifest carry the same id; load different ones apart',
      }),
    )
}
