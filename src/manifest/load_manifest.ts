import { compareIssues, type Issue } from '../core/issue.ts'
import type { Environment } from '../document/resolve_values.ts'
import { assembleManifest } from './assemble.ts'
import { checkIconFiles } from './catalog/icon_files.ts'
import { checkDataFiles } from './data_files.ts'
import { expandFiles, withFiles } from './files/expand_files.ts'
import { expandFragments } from './fragments/expand_fragments.ts'
import type { Manifest } from './manifest.ts'
import { findManifestFiles, type ReadManifestFile, readManifestFile } from './manifest_input.ts'
import type { ManifestSource } from './resolve_source.ts'

/** Files and environment of a manifest. */
export interface LoadOptions {
  /** Files, and folders that are searched for `*.yaml` and `*.yml`. */
  readonly paths: readonly string[]
  /** Variables for `${env.NAME}`. */
  readonly env: Environment
  /** Folder that relative paths start from, absolute. */
  readonly cwd: string
}

/** A manifest with all issues found in it. */
export interface LoadedManifest {
  /** Absent if an issue is an error. */
  readonly manifest?: Manifest
  /** All issues of all files, by file and position. */
  readonly issues: readonly Issue[]
  /** Text by file name, for excerpts. Secrets are redacted. */
  readonly sources: ReadonlyMap<string, string>
  /** Documents of all files that could be parsed, with their expressions replaced. */
  readonly documents: readonly ManifestSource[]
}

/** Loads a manifest from files and folders, independent of their order. Reports faults as issues and never throws. */
export async function loadManifest({ paths, env, cwd }: LoadOptions): Promise<LoadedManifest> {
  const listed = await findManifestFiles(paths, cwd)
  const files = await Promise.all(listed.files.map((file) => readManifestFile(file, { env, cwd })))
  const reading = [...listed.issues, ...files.flatMap(({ issues }) => issues)]
  const complete = listed.issues.length === 0 && files.every((file) => file.complete)
  const read = files.flatMap((file) => file.sources)
  const expansion = expandFragments(read, complete)
  const documents = expansion.sources
  const { manifest, issues: assembled, dataFiles, fileBlocks, icons } = assembleManifest(documents, complete)
  const issues = [...expansion.issues, ...assembled]
  const expanded = await expandFiles(fileBlocks)
  const missing = [...(await checkDataFiles(dataFiles)), ...(await checkIconFiles(icons)), ...expanded.issues]
  const stops = [...reading, ...expansion.issues, ...missing].some(({ severity }) => severity === 'error')
  return {
    ...(manifest === undefined || stops ? {} : { manifest: withFiles(manifest, expanded) }),
    issues: [...reading, ...issues, ...missing].sort(compareIssues),
    sources: new Map([...files.flatMap(listIncluded), ...files.flatMap(listShown)]),
    documents,
  }
}

function listShown({ file, shownText }: ReadManifestFile): [string, string][] {
  return shownText === undefined ? [] : [[file, shownText]]
}

function listIncluded({ sources }: ReadManifestFile): [string, string][] {
  return sources.flatMap(({ included }) =>
    [...included.values()].map(({ file, text }): [string, string] => [file, text]),
  )
}
