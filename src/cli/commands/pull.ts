import { mkdir, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import type { Api } from '../../api/api.ts'
import { problem } from '../../contract/problems.ts'
import { formatManifest } from '../../manifest/rewrite.ts'
import type { ActualResource, ActualTree } from '../../reconcile/model/actual_tree.ts'
import { readActualTree } from '../../reconcile/plan/plan_manifest.ts'
import { type PullResult, pullTree } from '../../reconcile/pull/pull_tree.ts'
import { slugOf } from '../../reconcile/pull/slug.ts'
import type { CommandSpec } from '../command.ts'
import { connect, type ServerSettings } from '../connect.ts'
import { formatIssues } from '../load_manifest.ts'
import { serverOptions } from '../options.ts'
import { writeEvent, writeIssueEvent } from '../print/events.ts'
import { showCount } from '../print/text_format.ts'
import { type Terminal, writeLine } from '../terminal.ts'

/** Settings of `pull`. */
export interface PullSettings {
  readonly server: ServerSettings
  /** Keyname or id of the root of the subtree. */
  readonly root: string
  /** Directory, created if missing. */
  readonly into: string
  /** Id of the manifest; defaults to the key of the root. */
  readonly manifest?: string | undefined
  readonly force: boolean
  readonly json: boolean
}

/**
 * Reads a subtree of a server as a manifest.
 *
 * @throws {Problem} plan/missing if the root does not exist
 */
export async function pullManifest(
  api: Api,
  { root, manifest }: Pick<PullSettings, 'root' | 'manifest'>,
  signal?: AbortSignal,
): Promise<PullResult> {
  const tree = await readActualTree(api, signal)
  const top = findRoot(tree, root)
  const manifestId =
    manifest ?? (top.id === 0 ? 'all' : slugOf(top.keyname ?? top.displayName) || `tree_${top.id}`)
  return pullTree({ tree, root: top, manifestId })
}

function findRoot(tree: ActualTree, root: string): ActualResource {
  const found = tree.byKeyname.get(root) ?? (/^\d+$/.test(root) ? tree.byId.get(Number(root)) : undefined)
  if (found !== undefined) return found
  throw problem('plan/missing', `The server has no resource "${root}" that this account can read.`)
}

async function runPull(settings: PullSettings, terminal: Terminal): Promise<number> {
  const api = await connect(settings.server, terminal)
  try {
    const pulled = await pullManifest(api, settings, terminal.interrupt)
    const path = await writeManifest(pulled, settings, terminal)
    const shown = relative(terminal.cwd, path) || path
    if (settings.json) {
      for (const issue of pulled.issues) writeIssueEvent(terminal.out, issue)
      writeEvent(terminal.out, 'pulled', {
        manifest: pulled.manifest.manifest,
        file: shown,
        resources: pulled.count,
      })
    } else {
      if (pulled.issues.length > 0) writeLine(terminal.err, formatIssues(pulled.issues, new Map()))
      writeLine(terminal.out, `${shown}: ${showCount(pulled.count, 'resource')}`)
    }
    return 0
  } finally {
    await api.close()
  }
}

async function writeManifest(
  { manifest }: PullResult,
  { into, force }: PullSettings,
  { cwd }: Terminal,
): Promise<string> {
  const folder = resolve(cwd, into)
  const path = join(folder, `${manifest.manifest}.yaml`)
  await mkdir(folder, { recursive: true })
  try {
    await writeFile(path, formatManifest(manifest), { flag: force ? 'w' : 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw problem('usage/bad-argument', `The file ${relative(cwd, path)} already exists.`, {
      hint: 'Choose another directory, or overwrite the file with --force.',
    })
  }
  return path
}

/** The command `pull`. */
export const pullCommand: CommandSpec = {
  name: 'pull',
  summary: 'write a subtree of a server as a manifest',
  examples: [
    'landform pull --root world --into manifests',
    'landform pull --root 17 --into manifests --manifest roads --server https://gis.example.org',
  ],
  declare: (command) =>
    serverOptions(command)
      .requiredOption('--root <key>', 'keyname or id of the root of the subtree')
      .requiredOption('--into <folder>', 'output directory')
      .option('--manifest <id>', 'id of the manifest (default: the key of the root)')
      .option('--force', 'overwrite existing files')
      .option('--json', 'write events as JSON lines'),
  run: ({ options }, terminal) =>
    runPull(
      {
        server: options as ServerSettings,
        root: String(options.root),
        into: String(options.into),
        manifest: options.manifest as string | undefined,
        force: options.force === true,
        json: options.json === true,
      },
      terminal,
    ),
}
