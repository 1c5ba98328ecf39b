import { countOf } from '../../core/count.ts'
import { compareIssues, hasErrors, type Issue } from '../../core/issue.ts'
import { type LoadedManifest, loadManifest } from '../../manifest/load_manifest.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import type { ReadableParts } from '../../manifest/readable_parts.ts'
import type { CommandSpec } from '../command.ts'
import { countIssues, orDefault } from '../load_manifest.ts'
import { writeEvent, writeIssueEvent } from '../print/events.ts'
import { formatIssues } from '../print/issue_list.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { findBadPasswords } from '../weak_passwords.ts'

/** Settings of `validate`. */
export interface ValidateSettings {
  readonly paths: readonly string[]
  readonly json: boolean
  /** Whether to read the data sources. */
  readonly readsData: boolean
}

/** Finds all errors of a manifest without contacting a server. */
export function validateManifest(
  paths: readonly string[],
  { env, cwd }: Pick<Terminal, 'env' | 'cwd'>,
): Promise<LoadedManifest> {
  return loadManifest({ paths: orDefault(paths), env: env as Readonly<Record<string, string>>, cwd })
}

async function runValidate(settings: ValidateSettings, terminal: Terminal): Promise<number> {
  const { paths, json, readsData } = settings
  const { manifest, readable, issues: found, sources } = await validateManifest(paths, terminal)
  const read = readsData ? await readData(readable, terminal) : []
  const weak = await readPasswords(readable, terminal)
  const issues = [...found, ...read, ...weak].sort(compareIssues)
  if (json) {
    for (const issue of issues) writeIssueEvent(terminal.out, issue)
    writeEvent(terminal.out, 'validated', {
      manifest: manifest?.id,
      resources: manifest?.resources.size,
      users: manifest?.principals?.user.size,
      groups: manifest?.principals?.group.size,
      icons: manifest?.catalog?.icon.size,
      geoservices: manifest?.catalog?.geoservice.size,
      valid: !hasErrors(issues),
    })
  } else {
    if (issues.length > 0) writeLine(terminal.out, formatIssues(issues, sources))
    const what = manifest === undefined ? '' : `${manifest.id}: ${countParts(manifest)}, `
    writeLine(terminal.out, `${what}${countIssues(issues)}`)
  }
  return hasErrors(issues) ? 3 : 0
}

/** Reads the data sources, if there are any; a manifest without them needs no readers. */
export async function readData(
  parts: ReadableParts,
  { interrupt }: Pick<Terminal, 'interrupt'>,
): Promise<Issue[]> {
  if (![...parts.resources.values()].some(({ data }) => data !== undefined)) return []
  const { checkSources } = await import('../../reconcile/sources/check_sources.ts')
  return checkSources(parts, interrupt)
}

/** Warns of weak passwords: landform servers refuse them, others may not. Only who applies the manifest has all of them. */
async function readPasswords({ users }: ReadableParts, terminal: Terminal): Promise<Issue[]> {
  const named = [...users.values()].filter(({ password }) => password !== undefined)
  const issues = await findBadPasswords(named, terminal)
  const weak = issues.filter(({ code }) => code === 'principal/weak-password')
  return weak.map((issue) => ({ ...issue, severity: 'warning' }))
}

/** Counts the parts of a manifest: `12 resources`, `3 icons, 30 geoservices`. */
function countParts({ resources, catalog, principals }: Manifest): string {
  const counts = {
    resource: resources.size,
    user: principals?.user.size ?? 0,
    group: principals?.group.size ?? 0,
    icon: catalog?.icon.size ?? 0,
    geoservice: catalog?.geoservice.size ?? 0,
  }
  return Object.entries(counts)
    .filter(([noun, count]) => count > 0 || (noun === 'resource' && (catalog ?? principals) === undefined))
    .map(([noun, count]) => countOf(count, noun))
    .join(', ')
}

/** The command `validate`. */
export const validateCommand: CommandSpec = {
  name: 'validate',
  summary: 'check a manifest and its data sources without a server',
  examples: [
    'landform validate',
    'landform validate manifests/world.yaml --json',
    'landform validate --no-data   # does not read the data sources',
  ],
  declare: (command) =>
    command
      .argument('[paths...]', 'files and directories of the manifest (default: manifests)')
      .option('--no-data', 'do not read the data sources')
      .option('--json', 'write events as JSON lines'),
  run: ({ arguments: [paths], options }, terminal) =>
    runValidate(
      {
        paths: (paths ?? []) as readonly string[],
        json: options.json === true,
        readsData: options.data !== false,
      },
      terminal,
    ),
}
