import { readFile } from 'node:fs/promises'
import { extname, relative, resolve } from 'node:path'
import { problem } from '../../contract/problems.ts'
import { formatIssue } from '../../core/excerpt.ts'
import { compareIssues, hasErrors, type Issue } from '../../core/issue.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import { checkStyleText, type StyleLanguage, styleMembers } from '../../style/check_style_text.ts'
import type { CommandSpec } from '../command.ts'
import { countIssues } from '../load_manifest.ts'
import { writeEvent, writeIssueEvent } from '../print/events.ts'
import { showCount } from '../print/text_format.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { validateManifest } from './validate.ts'

/** Settings of `lint`. */
interface LintSettings {
  readonly paths: readonly string[]
  readonly json: boolean
  /** Whether warnings are failures. */
  readonly strict: boolean
}

/** Languages of style files, by extension. */
const languages: Readonly<Record<string, StyleLanguage>> = {
  '.qml': 'qml',
  '.sld': 'qml',
  '.xml': 'mapserver',
}

/** Styles that were checked. */
interface Linted {
  readonly issues: readonly Issue[]
  /** Number of styles. */
  readonly styles: number
  /** Texts of the files with issues. */
  readonly sources: ReadonlyMap<string, string>
}

async function runLint({ paths, json, strict }: LintSettings, terminal: Terminal): Promise<number> {
  const { issues, styles, sources } = await lint(paths, terminal)
  if (json) {
    for (const issue of issues) writeIssueEvent(terminal.out, issue)
    const errors = issues.filter(({ severity }) => severity === 'error').length
    writeEvent(terminal.out, 'linted', { styles, errors, warnings: issues.length - errors })
  } else {
    for (const issue of issues)
      writeLine(terminal.out, formatIssue(issue, issue.span && sources.get(issue.span.file)))
    writeLine(terminal.out, `${showCount(styles, 'style')}, ${countIssues(issues)}`)
  }
  return hasErrors(issues) || (strict && issues.length > 0) ? 3 : 0
}

async function lint(paths: readonly string[], terminal: Terminal): Promise<Linted> {
  const isStyle = (path: string) => languageOf(path) !== undefined
  const files = await Promise.all(paths.filter(isStyle).map((path) => lintFile(path, terminal)))
  const manifests = paths.filter((path) => !isStyle(path))
  const parts =
    manifests.length === 0 && files.length > 0 ? files : [...files, await lintManifest(manifests, terminal)]
  return {
    issues: parts.flatMap(({ issues }) => issues).toSorted(compareIssues),
    styles: parts.reduce((sum, { styles }) => sum + styles, 0),
    sources: new Map(parts.flatMap(({ sources }) => [...sources])),
  }
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

/** Checks the styles of a manifest. Errors elsewhere are reported too: they may hide styles. */
async function lintManifest(paths: readonly string[], terminal: Terminal): Promise<Linted> {
  const { manifest, issues, sources } = await validateManifest(paths, terminal)
  const shown = issues.filter(({ code, severity }) => code.startsWith('style/') || severity === 'error')
  return { issues: shown, styles: manifest === undefined ? 0 : countStyles(manifest), sources }
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
  summary: 'list the parts of styles that are not drawn as they say',
  examples: [
    'landform lint',
    'landform lint manifests/world.yaml --json',
    'landform lint roads.qml --strict',
  ],
  declare: (command) =>
    command
      .argument('[paths...]', 'files and directories of the manifest (default: manifests), and style files')
      .option('--strict', 'fail on warnings, too')
      .option('--json', 'write events as JSON lines'),
  run: ({ arguments: [paths], options }, terminal) =>
    runLint(
      {
        paths: (paths ?? []) as readonly string[],
        json: options.json === true,
        strict: options.strict === true,
      },
      terminal,
    ),
}
