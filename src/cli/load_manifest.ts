import { problem } from '../contract/problems.ts'
import { countOf } from '../core/count.ts'
import type { Issue } from '../core/issue.ts'
import type { Problem } from '../core/problem.ts'
import { type LoadedManifest, loadManifest } from '../manifest/load_manifest.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { formatIssues } from './print/issue_list.ts'
import type { Terminal } from './terminal.ts'

/** Default paths of manifests. */
export const defaultPaths: readonly string[] = ['manifests']

/** Manifest without errors, with its warnings and sources. */
export interface GoodManifest {
  readonly manifest: Manifest
  readonly issues: readonly Issue[]
  readonly sources: LoadedManifest['sources']
  readonly documents: LoadedManifest['documents']
}

/**
 * Loads a manifest from files and directories.
 *
 * @throws {Problem} manifest/invalid with the issues, after writing them to `err`
 */
export async function loadGoodManifest(
  paths: readonly string[],
  terminal: Pick<Terminal, 'env' | 'cwd'>,
): Promise<GoodManifest> {
  const { cwd } = terminal
  const env = terminal.env as Readonly<Record<string, string>>
  const { manifest, ...loaded } = await loadManifest({ paths: orDefault(paths), env, cwd })
  const { issues, sources } = loaded
  if (manifest !== undefined) return { manifest, ...loaded }
  throw faulty(issues, sources)
}

/** Returns the paths, or the default paths if empty. */
export function orDefault(paths: readonly string[]): readonly string[] {
  return paths.length > 0 ? paths : defaultPaths
}

function faulty(issues: readonly Issue[], sources: LoadedManifest['sources']): Problem {
  const errors = issues.filter(({ severity }) => severity === 'error')
  return problem('manifest/invalid', `The manifest has ${countOf(errors.length, 'error')}.`, {
    issues,
    detail: formatIssues(issues, sources),
  })
}

/** Counts issues: `no errors`, `2 errors and 1 warning`. */
export function countIssues(issues: readonly Issue[]): string {
  const errors = issues.filter(({ severity }) => severity === 'error').length
  const warnings = issues.length - errors
  const parts = [
    ...(errors > 0 ? [countOf(errors, 'error')] : []),
    ...(warnings > 0 ? [countOf(warnings, 'warning')] : []),
  ]
  return parts.length > 0 ? parts.join(' and ') : 'no errors'
}
