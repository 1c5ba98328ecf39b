import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { Api } from '../../api/api.ts'
import { problem } from '../../contract/problems.ts'
import { countOf } from '../../core/count.ts'
import type { Issue } from '../../core/issue.ts'
import { findFileKind } from '../../document/yaml_files.ts'
import { formatManifest, type WrittenManifest } from '../../manifest/rewrite.ts'
import { pullCatalog } from '../../reconcile/catalog/pull_catalog.ts'
import type { ActualResource } from '../../reconcile/model/actual_tree.ts'
import { computeFromPart } from '../../reconcile/plan/compute_from_part.ts'
import { noPart } from '../../reconcile/plan/partial_tree.ts'
import { partOfLabels } from '../../reconcile/plan/plan_part.ts'
import { liveReader, type PlanReader } from '../../reconcile/plan/plan_reader.ts'
import { pullPrincipals } from '../../reconcile/pull/pull_principals.ts'
import { type PullResult, pullTree } from '../../reconcile/pull/pull_tree.ts'
import type { PulledFile } from '../../reconcile/pull/pulled_file.ts'
import { slugOf } from '../../reconcile/pull/slug.ts'
import type { CommandSpec } from '../command.ts'
import { connect, type ServerSettings } from '../connect.ts'
import { collect, collectOnly, serverOptions } from '../options.ts'
import { adviseLogin } from '../principals.ts'
import { writeEvent, writeIssueEvent } from '../print/events.ts'
import { formatIssues } from '../print/issue_list.ts'
import { showReading } from '../print/reading.ts'
import { countFeatures, readPulledExtensions, writePulledFile } from '../pull_file.ts'
import { pullInPlace } from '../pull_in_place.ts'
import { findRoot } from '../subtree_root.ts'
import { type Terminal, writeLine } from '../terminal.ts'

/** Settings of `pull`. */
export interface PullSettings {
  readonly server: ServerSettings
  /** Keyname or id of the root of the subtree; no resources if absent. */
  readonly root?: string | undefined
  /** Whether to pull records of the catalog. */
  readonly catalog: boolean
  /** Whether to pull users and groups. */
  readonly users: boolean
  /** Manifest whose records are pulled; all records if absent. */
  readonly of?: string | undefined
  /** Directory, created if missing. */
  readonly into: string | undefined
  /** Files and directories of the manifest that changes are written into. */
  readonly paths: readonly string[]
  /** Whether to show changes without writing them. */
  readonly dryRun: boolean
  /** Keys of the only resources whose changes are written into the manifest; all, if empty. */
  readonly only: ReadonlySet<string>
  /** Keys of resources whose values on the server replace those that the manifest changed, too. */
  readonly overwrite: ReadonlySet<string>
  /** Id of the manifest; defaults to the key of the root. */
  readonly manifest?: string | undefined
  /** Whether to write data and styles as files. */
  readonly withData: boolean
  readonly force: boolean
  readonly json: boolean
}

/** A manifest with the files that it names, and issues for what it cannot describe. */
export interface PulledManifest {
  readonly manifest: WrittenManifest
  /** Files by path, relative to the manifest. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** Files of data and styles. */
  readonly pulledFiles?: readonly PulledFile[]
  readonly issues: readonly Issue[]
  /** Number of pulled parts by noun; absent parts were not pulled. */
  readonly counts: Readonly<Record<string, number>>
}

/** Parts of a server to pull. */
export type PullRequest = Pick<PullSettings, 'root' | 'catalog' | 'users' | 'of' | 'manifest'> &
  Partial<Pick<PullSettings, 'withData'>> & {
    /** Reads the resources; of the server, if absent. */
    readonly reader?: PlanReader
  }

/**
 * Reads a subtree of a server, records of its catalog, its users and groups, or all of them as a manifest.
 *
 * @throws {Problem} plan/missing if the root does not exist, access/denied and catalog/absent for records and users
 */
export async function pullManifest(
  api: Api,
  { root, catalog, users: withUsers, of, manifest, withData: withFiles = false, reader }: PullRequest,
  signal?: AbortSignal,
): Promise<PulledManifest> {
  const resources =
    root === undefined ? undefined : await pullResources(api, { root, manifest, withFiles, reader, signal })
  const manifestId = resources?.manifest.manifest ?? manifest ?? of ?? (catalog ? 'catalog' : 'users')
  const records = catalog ? await pullCatalog(api, { manifestId, of, signal }) : undefined
  const principals = withUsers ? await pullPrincipals(api, signal) : undefined
  const { icons = {}, geoservices = {}, files = new Map() } = records ?? {}
  return {
    manifest: { ...(resources?.manifest ?? { manifest: manifestId }), ...principals, icons, geoservices },
    files,
    pulledFiles: resources?.files ?? [],
    issues: [...(resources?.issues ?? []), ...(records?.issues ?? [])],
    counts: {
      ...(resources === undefined ? {} : { resource: resources.count }),
      ...(withFiles && resources !== undefined ? { file: resources.files.length } : {}),
      ...(principals === undefined ? {} : countAll({ user: principals.users, group: principals.groups })),
      ...(records === undefined ? {} : countAll({ icon: icons, geoservice: geoservices })),
    },
  }
}

interface Subtree {
  readonly root: string
  readonly manifest: string | undefined
  readonly withFiles: boolean
  readonly reader: PlanReader | undefined
  readonly signal: AbortSignal | undefined
}

/** Pulls a subtree; reads no more of the server than that, and what it refers to. */
function pullResources(
  api: Api,
  { root, manifest, withFiles, signal, reader = liveReader(api, signal) }: Subtree,
): Promise<PullResult> {
  return computeFromPart({
    reader,
    part: { ...noPart, ...partOfLabels([root]) },
    compute: async ({ actual: tree, next }) => {
      const top = findRoot(tree, root)
      const pulling = { tree, root: top, manifestId: manifest ?? idOf(top) }
      const pulled = pullTree(pulling)
      if (!withFiles) return pulled
      // Questions about features are expensive: not before the resources are complete.
      if (next() !== undefined) return 'larger'
      const counts = await countFeatures(api, { tree, root: top.id, signal })
      const extensions = await readPulledExtensions(api, { tree, root: top.id, signal })
      return pullTree({ ...pulling, counts, extensions })
    },
  })
}

function countAll(parts: Readonly<Record<string, object>>): Record<string, number> {
  return Object.fromEntries(Object.entries(parts).map(([noun, blocks]) => [noun, Object.keys(blocks).length]))
}

function idOf({ id, keyname, displayName }: ActualResource): string {
  return id === 0 ? 'all' : slugOf(keyname ?? displayName) || `tree_${id}`
}

async function runPull(settings: PullSettings, terminal: Terminal): Promise<number> {
  const { root, catalog, users, into } = settings
  const selectsNothing = root === undefined && !catalog && !users
  if (selectsNothing && into === undefined) return pullInPlace(settings, terminal)
  if (settings.only.size + settings.overwrite.size > 0)
    throw problem('usage/bad-argument', '--only and --overwrite are about an existing manifest.', {
      hint: 'Leave out --root, --catalog, --users and --into, or choose the subtree with --root.',
    })
  if (into === undefined) throw problem('usage/bad-argument', 'Name the output directory with --into.')
  if (selectsNothing)
    throw problem('usage/bad-argument', 'Nothing to pull.', {
      hint: 'Name the root of a subtree with --root, or pull the catalog with --catalog, or users and groups with --users.',
    })
  const api = await connect(settings.server, terminal)
  try {
    const signal = terminal.interrupt
    const pulled = await showReading(liveReader(api, signal), terminal, (reader) =>
      pullManifest(api, { ...settings, reader }, signal),
    )
    const path = await writeFiles(api, { pulled, settings: { ...settings, into } }, terminal)
    report(pulled, { file: relative(terminal.cwd, path) || path, json: settings.json }, terminal)
    return 0
  } catch (error) {
    throw await adviseLogin(error, settings.server, terminal)
  } finally {
    await api.close()
  }
}

function report(
  { manifest, issues, counts }: PulledManifest,
  { file, json }: { readonly file: string; readonly json: boolean },
  { out, err }: Terminal,
): void {
  if (json) {
    for (const issue of issues) writeIssueEvent(out, issue)
    const facts = Object.fromEntries(Object.entries(counts).map(([noun, count]) => [`${noun}s`, count]))
    writeEvent(out, 'pulled', { manifest: manifest.manifest, file, ...facts })
    return
  }
  if (issues.length > 0) writeLine(err, formatIssues(issues, new Map()))
  const parts = Object.entries(counts).map(([noun, count]) => countOf(count, noun))
  writeLine(out, `${file}: ${parts.join(', ')}`)
}

type OutputSettings = Pick<PullSettings, 'force' | 'root' | 'catalog' | 'manifest'> & {
  readonly into: string
}

/** Users and groups alone get a file beside that of the manifest that they are for, which has its name. */
function nameFile({ root, catalog, manifest }: OutputSettings, id: string): string {
  return root === undefined && !catalog && manifest !== undefined ? `${id}_users` : id
}

/** Writes the manifest and its files, after checking that none of them exists. Returns the path of the manifest. */
async function writeFiles(
  api: Api,
  { pulled, settings }: { readonly pulled: PulledManifest; readonly settings: OutputSettings },
  terminal: Terminal,
): Promise<string> {
  const { manifest, files, pulledFiles = [] } = pulled
  const { cwd } = terminal
  const folder = resolve(cwd, settings.into)
  const path = join(folder, `${nameFile(settings, manifest.manifest)}.yaml`)
  const all = new Map<string, string | Uint8Array>([[path, formatManifest(manifest)]])
  for (const [name, bytes] of files) all.set(join(folder, name), bytes)
  const paths = [...all.keys(), ...pulledFiles.map((file) => join(folder, file.path))]
  if (!settings.force) for (const one of paths) await refuseExisting(one, cwd)
  for (const file of pulledFiles) await writePulledFile(api, { file, folder }, terminal)
  for (const [one, content] of all) {
    await mkdir(dirname(one), { recursive: true })
    await writeFile(one, content)
  }
  return path
}

async function refuseExisting(path: string, cwd: string): Promise<void> {
  if ((await findFileKind(path)) === 'absent') return
  throw problem('usage/bad-argument', `The file ${relative(cwd, path)} already exists.`, {
    hint: 'Choose another directory, or overwrite the file with --force.',
  })
}

/** The command `pull`. */
export const pullCommand: CommandSpec = {
  name: 'pull',
  summary: 'write a subtree of a server as a manifest, or its changes into an existing one',
  notes: [
    'Without --root, --catalog or --users, writes what changed on the server into the existing manifest, in place, and shows\nit as a patch. What changed in the manifest since the last apply stays, also after an undo, unless --overwrite names its key.',
  ],
  examples: [
    'landform pull --dry-run   # show what changed on the server as a patch of the manifest',
    'landform pull --only roads   # keep what changed on the server in a resource',
    'landform pull --overwrite roads   # give up what the manifest changed in a resource, as after an undo',
    'landform pull --root world --into manifests',
    'landform pull --root 17 --into manifests --manifest roads --server https://gis.example.org',
    'landform pull --root world --with-data --into backup   # to create it on another server',
    'landform pull --catalog --into manifests/catalog',
    'landform pull --users --into manifests',
    'landform pull --catalog --of city --into manifests   # only the records of a manifest',
  ],
  declare: (command) =>
    serverOptions(
      command.argument('[paths...]', 'manifests to write changes of the server into (default: manifests)'),
    )
      .option('--root <key>', 'keyname or id of the root of the subtree')
      .option('--catalog', 'icons and geoservices of the catalog')
      .option('--users', 'users and groups, without their passwords')
      .option('--of <manifest>', 'only records of the catalog that this manifest manages')
      .option('--into <folder>', 'output directory for a new manifest')
      .option('--only <key>', 'write only changes of this resource; may be repeated', collectOnly)
      .option(
        '--overwrite <key>',
        'write the values of the server over those that the manifest changed, too; may be repeated',
        collect,
      )
      .option('--dry-run', 'show the changes of existing manifests as a patch, and write nothing')
      .option('--manifest <id>', 'id of the manifest (default: the key of the root, else catalog or users)')
      .option(
        '--with-data',
        'write features as GeoPackages, their attachments, rasters and styles as files, and name them in the manifest',
      )
      .option('--force', 'overwrite existing files')
      .option('--json', 'write events as JSON lines'),
  run: ({ arguments: [paths], options }, terminal) =>
    runPull(
      {
        server: options as ServerSettings,
        root: options.root as string | undefined,
        catalog: options.catalog === true || options.of !== undefined,
        users: options.users === true,
        of: options.of as string | undefined,
        into: options.into as string | undefined,
        paths: (paths ?? []) as readonly string[],
        dryRun: options.dryRun === true,
        only: new Set((options.only as readonly string[] | undefined) ?? []),
        overwrite: new Set((options.overwrite as readonly string[] | undefined) ?? []),
        manifest: options.manifest as string | undefined,
        withData: options.withData === true,
        force: options.force === true,
        json: options.json === true,
      },
      terminal,
    ),
}
