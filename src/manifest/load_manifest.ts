import { dirname, relative, resolve, sep } from 'node:path'
import { compareIssues, hasErrors, type Issue } from '../core/issue.ts'
import { decodeText } from '../document/decode_text.ts'
import { parseYaml } from '../document/parse_yaml.ts'
import { redactText } from '../document/redact.ts'
import type { Environment } from '../document/resolve_values.ts'
import { findFileKind, listYamlFiles, readBytes, readIncludes } from '../document/yaml_files.ts'
import { type Assembled, assembleManifest } from './assemble.ts'
import { checkIconFiles } from './catalog/icon_files.ts'
import { checkDataFiles } from './data_files.ts'
import { type ExpandedFiles, expandFiles, withFiles } from './files/expand_files.ts'
import { expandFragments } from './fragments/expand_fragments.ts'
import type { Manifest } from './manifest.ts'
import { type ReadableParts, readableParts } from './readable_parts.ts'
import { type ManifestSource, resolveSource, type Surroundings } from './resolve_source.ts'

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
  /** Parts whose data sources and passwords can be read; those without errors if there are any. */
  readonly readable: ReadableParts
  /** All issues of all files, by file and position. */
  readonly issues: readonly Issue[]
  /** Text by file name, for excerpts. Secrets are redacted. */
  readonly sources: ReadonlyMap<string, string>
  /** Documents of all files that could be parsed, with their expressions replaced. */
  readonly documents: readonly ManifestSource[]
}

/** A file of a manifest, with the name shown in messages. */
interface ManifestFile {
  readonly path: string
  /** Relative to the working directory, with slashes. */
  readonly file: string
}

/** The content of a manifest file. */
interface ReadManifestFile {
  readonly file: string
  /** Documents of the file; empty if it has syntax errors. */
  readonly sources: readonly ManifestSource[]
  readonly issues: readonly Issue[]
  /** Text for excerpts, with secrets redacted; absent if the file is not text. */
  readonly shownText?: string
  /** Whether the whole file could be read. */
  readonly complete: boolean
}

/** Environment in which a manifest is loaded. */
interface Place {
  /** Variables for `${env.NAME}`. */
  readonly env: Environment
  /** Absolute path of the folder that shown paths are relative to. */
  readonly cwd: string
}

/** The text of a manifest file. */
export interface ManifestText {
  readonly file: string
  /** Absolute path of the folder of the file. */
  readonly folder: string
  readonly text: string
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
  const assembled = assembleManifest(documents, complete)
  const expanded = await expandFiles(assembled.fileBlocks)
  const issues = [
    ...reading,
    ...expansion.issues,
    ...assembled.issues,
    ...(await checkDataFiles(assembled.dataFiles)),
    ...(await checkIconFiles(assembled.icons)),
    ...expanded.issues,
  ].sort(compareIssues)
  return {
    ...listParts(assembled, expanded, issues),
    issues,
    sources: new Map([...files.flatMap(listIncluded), ...files.flatMap(listShown)]),
    documents,
  }
}

function listParts(
  { manifest, ...blocks }: Assembled,
  files: ExpandedFiles,
  issues: readonly Issue[],
): Pick<LoadedManifest, 'manifest' | 'readable'> {
  if (manifest === undefined || hasErrors(issues))
    return { readable: withFiles(readableParts(blocks, issues), files) }
  const whole = withFiles(manifest, files)
  return {
    manifest: whole,
    readable: { resources: whole.resources, users: whole.principals?.user ?? new Map() },
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

/** Resolves paths to unique files, sorted; a missing path is an issue. */
async function findManifestFiles(
  paths: readonly string[],
  cwd: string,
): Promise<{ readonly files: readonly ManifestFile[]; readonly issues: readonly Issue[] }> {
  const lists = await Promise.all(paths.map((path) => expandPath(path, cwd)))
  const found = new Set(lists.flatMap((list) => ('files' in list ? list.files : [])))
  const issues = lists.flatMap((list) => ('issue' in list ? [list.issue] : []))
  const files = [...found].map((path) => ({ path, file: displayPath(path, cwd) }))
  if (paths.length === 0) issues.push(issueOf('manifest/empty', 'no files given'))
  return { files: files.sort((a, b) => (a.file < b.file ? -1 : 1)), issues }
}

function displayPath(path: string, cwd: string): string {
  return relative(cwd, path).split(sep).join('/') || '.'
}

async function expandPath(
  path: string,
  cwd: string,
): Promise<{ readonly files: string[] } | { readonly issue: Issue }> {
  const full = resolve(cwd, path)
  try {
    const kind = await findFileKind(full)
    if (kind === 'absent') return { issue: issueOf('file/not-found', `${path}: no such file or folder`) }
    if (kind === 'file') return { files: [full] }
    if (kind === 'other')
      return { issue: issueOf('file/unreadable', `${path} is neither a file nor a folder`) }
    const files = await listYamlFiles(full)
    if (files.length > 0) return { files }
    return { issue: issueOf('manifest/empty', `${path}: the folder has no *.yaml files`) }
  } catch (error) {
    return { issue: issueOf('file/unreadable', `${path}: ${reasonOf(error)}`) }
  }
}

function issueOf(code: Issue['code'], message: string): Issue {
  return { code, message, severity: 'error' }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Reads a file and the files it includes. */
async function readManifestFile(
  { path, file }: ManifestFile,
  { env, cwd }: Place,
): Promise<ReadManifestFile> {
  try {
    const decoded = decodeText(file, await readBytes(path))
    if ('issue' in decoded) return failed(file, decoded.issue)
    const { text } = decoded
    const folder = dirname(path)
    const files = await readIncludes(folder, text)
    return parseManifestText(
      { file, folder, text },
      { env, files, showPath: (name) => displayPath(name, cwd) },
    )
  } catch (error) {
    return failed(file, issueOf('file/unreadable', `${file}: ${reasonOf(error)}`))
  }
}

function failed(file: string, issue: Issue): ReadManifestFile {
  return { file, sources: [], issues: [issue], complete: false }
}

/** Parses the text of a manifest file. Pure. */
export function parseManifestText(
  { file, folder, text }: ManifestText,
  surroundings: Surroundings,
): ReadManifestFile {
  const parsed = parseYaml(file, text)
  const shownText = redactText(text, parsed.documents)
  if (hasErrors(parsed.issues))
    return { file, sources: [], issues: parsed.issues, shownText, complete: false }
  const documents = parsed.documents.filter(({ value }) => value !== null)
  const resolved = documents.map((document) => resolveSource(document, folder, surroundings))
  const issues = [...parsed.issues, ...resolved.flatMap((one) => one.issues)]
  if (documents.length === 0) issues.push(emptyFile(file))
  return {
    file,
    sources: resolved.map(({ source }) => source),
    issues,
    shownText,
    complete: documents.length > 0,
  }
}

function emptyFile(file: string): Issue {
  return {
    code: 'manifest/empty',
    severity: 'error',
    message: 'the file is empty',
    span: { file, line: 1, column: 1, endLine: 1, endColumn: 1 },
    hint: 'restore the file, or delete it',
  }
}
