import { readFile } from 'node:fs/promises'
import { extname, relative, resolve } from 'node:path'
import { findProblemKind, problem, problems } from '../../contract/problems.ts'
import { countOf } from '../../core/count.ts'
import { compareIssues, hasErrors, type Issue } from '../../core/issue.ts'
import { findHint } from '../../core/suggest.ts'
import { findFileKind } from '../../document/yaml_files.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import { applyIgnoreComments } from '../../reconcile/lint/ignore_comments.ts'
import { lintTree } from '../../reconcile/lint/lint_rules.ts'
import { lintTreeOfManifest } from '../../reconcile/lint/manifest_lint_tree.ts'
import { checkStyleText, type StyleLanguage, styleMembers } from '../../style/check_style_text.ts'
import type { CommandSpec } from '../command.ts'
import type { ServerSettings } from '../connect.ts'
import { lintServer } from '../lint/lint_server.ts'
import { findTwoSources, readLayerLoads } from '../lint/two_sources.ts'
import { countIssues } from '../load_manifest.ts'
import { collect, serverOptions } from '../options.ts'
import { writeEvent, writeIssueEvent } from '../print/events.ts'
import { countByCode, formatCodeCounts, formatIssues } from '../print/issue_list.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { readData, validateManifest } from './validate.ts'

/** Settings of `lint`. */
interface LintSettings {
  readonly paths: readonly string[]
  readonly json: boolean
  /** Whether warnings are failures. */
  readonly strict: boolean
  /** Whether to read the data sources. */
  readonly readsData: boolean
  /** Codes of findings that are not reported. */
  readonly ignore: readonly string[]
  /** Files and folders of pipelines; undefined for the default folder. */
  readonly pipelines?: readonly string[] | undefined
  readonly server: ServerSettings
  /** Root of the subtree of the server. */
  readonly root?: string | undefined
}

/** Languages of style files, by extension. */
const languages: Readonly<Record<string, StyleLanguage>> = {
  '.qml': 'qml',
  '.sld': 'qml',
  '.xml': 'mapserver',
  '.json': 'qml',
}

/** What was checked. */
interface Linted {
  readonly issues: readonly Issue[]
  /** Number of styles; undefined if errors keep a manifest from being read. */
  readonly styles?: number | undefined
  /** Number of resources; undefined if only style files were checked, or if errors keep a manifest from being read. */
  readonly resources?: number | undefined
  /** Texts of the files with issues. */
  readonly sources: ReadonlyMap<string, string>
}

async function runLint(settings: LintSettings, terminal: Terminal): Promise<number> {
  const { json, strict, ignore } = settings
  checkCodes(ignore)
  const { issues: found, styles, resources, sources } = await lint(settings, terminal)
  const issues = found.filter(({ code, severity }) => severity === 'error' || !ignore.includes(code))
  if (json) {
    for (const issue of issues) writeIssueEvent(terminal.out, issue)
    const errors = issues.filter(({ severity }) => severity === 'error').length
    const warnings = issues.length - errors
    writeEvent(terminal.out, 'linted', { resources, styles, errors, warnings, codes: countByCode(issues) })
  } else {
    if (issues.length > 0) writeLine(terminal.out, formatIssues(issues, sources))
    const counts = { resource: resources, style: styles }
    const checked = Object.entries(counts).flatMap(([noun, count]) =>
      count === undefined ? [] : [countOf(count, noun)],
    )
    for (const line of formatCodeCounts(issues)) writeLine(terminal.out, line)
    writeLine(terminal.out, [...checked, countIssues(issues)].join(', '))
  }
  return hasErrors(issues) || (strict && issues.length > 0) ? 3 : 0
}

/** Refuses codes that do not exist: they would ignore nothing. */
function checkCodes(codes: readonly string[]): void {
  for (const code of codes) {
    if (findProblemKind(code) !== undefined) continue
    const lintable = Object.keys(problems).filter((one) => /^(?:lint|style)\//.test(one))
    throw problem('usage/bad-argument', `Unknown code "${code}".`, {
      hint: findHint(code, lintable) ?? `Codes: ${lintable.join(', ')}.`,
    })
  }
}

async function lint(settings: LintSettings, terminal: Terminal): Promise<Linted> {
  const { paths, server, root, pipelines } = settings
  if (server.server !== undefined) {
    if (paths.length > 0 || pipelines !== undefined)
      throw problem('usage/bad-argument', 'lint checks files or a server, not both.', {
        hint: 'Leave out the paths, or --server.',
      })
    return { ...(await lintServer({ server, root }, terminal)), sources: new Map() }
  }
  if (root !== undefined)
    throw problem('usage/bad-argument', '--root names a resource of a server.', { hint: 'Add --server URL.' })
  const isStyle = (path: string) => languageOf(path) !== undefined
  const files = await Promise.all(paths.filter(isStyle).map((path) => lintFile(path, terminal)))
  const manifests = paths.filter((path) => !isStyle(path))
  const parts =
    manifests.length === 0 && files.length > 0
      ? files
      : [...files, await lintManifest(manifests, settings, terminal)]
  return {
    issues: parts.flatMap(({ issues }) => issues).toSorted(compareIssues),
    styles: sumOf(parts.map(({ styles }) => styles)),
    // Style files have no resources.
    resources: sumOf(parts.slice(files.length).map(({ resources }) => resources)),
    sources: new Map(parts.flatMap(({ sources }) => [...sources])),
  }
}

/** Undefined if there is nothing to add, or something was not counted. */
function sumOf(counts: readonly (number | undefined)[]): number | undefined {
  if (counts.length === 0 || counts.includes(undefined)) return undefined
  return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)
}

const languageOf = (path: string) => languages[extname(path).toLowerCase()]

async function lintFile(path: string, { cwd }: Pick<Terminal, 'cwd'>): Promise<Linted> {
  const file = relative(cwd, resolve(cwd, path))
  const text = await readFile(resolve(cwd, path), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw problem('usage/bad-argument', `Cannot read "${path}": ${error.code ?? error.message}.`)
  })
  const issues = checkStyleText(languageOf(path) ?? 'qml', text, { file })
  return { issues, styles: 1, sources: new Map([[file, text]]) }
}

/** Folder of pipelines that is checked with the default manifest. */
const defaultPipelines = 'pipelines'

const isOfStyle = ({ code }: Issue) => code.startsWith('style/')

/** Checks a manifest and its pipelines. Errors of the manifest are reported too: they may hide findings. */
async function lintManifest(
  paths: readonly string[],
  { pipelines, readsData }: Pick<LintSettings, 'pipelines' | 'readsData'>,
  terminal: Terminal,
): Promise<Linted> {
  const { manifest, readable, issues: written, sources } = await validateManifest(paths, terminal)
  // Whether the data can be loaded is for `validate`: they may be elsewhere.
  const read = (readsData ? await readData(readable, terminal) : []).filter(isOfStyle)
  const hasDefault = (await findFileKind(resolve(terminal.cwd, defaultPipelines))) === 'folder'
  const loaded = await readLayerLoads(
    pipelines ?? (paths.length === 0 && hasDefault ? [defaultPipelines] : []),
    terminal,
  )
  const texts = new Map([...sources, ...loaded.sources])
  const found = [
    ...written.filter((issue) => isOfStyle(issue) || issue.severity === 'error'),
    ...read,
    ...(manifest === undefined ? [] : lintTree(lintTreeOfManifest(manifest))),
    ...loaded.issues,
    ...findTwoSources(manifest, loaded.loads),
  ]
  return {
    issues: applyIgnoreComments(found, texts),
    styles: manifest && countStyles(manifest),
    resources: manifest?.resources.size,
    sources: texts,
  }
}

function countStyles({ resources }: Manifest): number {
  const written = styleMembers.map(({ cls, field }) =>
    [...resources.values()].filter(({ members }) => members[cls]?.[field] !== undefined),
  )
  return written.flat().length
}

/** The command `lint`. */
export const lintCommand: CommandSpec = {
  name: 'lint',
  summary: 'list what is valid in a manifest, a style or a server, but probably wrong',
  notes: [
    'Warnings are ignored with --ignore CODE, or in YAML files with a comment on the line or the line above,',
    '`# lint-ignore CODE`, or for the whole file with `# lint-ignore-file CODE`.',
  ],
  examples: [
    'landform lint',
    'landform lint manifests/world.yaml --json',
    'landform lint roads.qml --strict',
    'landform lint --server https://gis.example.org --root roads --ignore lint/unused-style',
  ],
  declare: (command) =>
    serverOptions(
      command.argument(
        '[paths...]',
        'files and directories of the manifest (default: manifests), and style files',
      ),
    )
      .option('--root <key>', 'keyname or id of the root of the subtree of --server')
      .option(
        '--pipelines <path>',
        'pipelines that load layers (default: pipelines); may be repeated',
        collect,
      )
      .option('--ignore <code>', 'leave out warnings with this code; may be repeated', collect)
      .option('--no-data', 'do not read the data sources, whose fields styles may name')
      .option('--strict', 'fail on warnings, too')
      .option('--json', 'write events as JSON lines'),
  run: ({ arguments: [paths], options }, terminal) =>
    runLint(
      {
        paths: (paths ?? []) as readonly string[],
        json: options.json === true,
        strict: options.strict === true,
        readsData: options.data !== false,
        ignore: (options.ignore as readonly string[] | undefined) ?? [],
        pipelines: options.pipelines as readonly string[] | undefined,
        server: options as ServerSettings,
        root: options.root as string | undefined,
      },
      terminal,
    ),
}
