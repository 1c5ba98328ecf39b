import type { Issue } from '../../core/issue.ts'
import { formatSpan } from '../../core/span.ts'
import { redactValue } from '../../document/redact.ts'
import { issueAt, keySpanOf, type ManifestSource, showAt } from '../resolve_source.ts'
import { fileValidator } from '../validators.ts'

/** Checks the top level of a file: `manifest:` and `resources:`, and nothing else. */
export function checkTopLevel(source: ManifestSource): Issue[] {
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
