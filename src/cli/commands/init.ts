import { mkdir } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path'
import { problem } from '../../contract/problems.ts'
import { numberNames } from '../../contract/schema/item_names.ts'
import { countOf } from '../../core/count.ts'
import { findFileKind } from '../../document/yaml_files.ts'
import { writeAtomically } from '../../files/atomic_write.ts'
import { formatManifest } from '../../manifest/rewrite.ts'
import { inspectSource } from '../../transfer/source_layers.ts'
import type { CommandSpec } from '../command.ts'
import { type FoundData, findData, isRaster } from '../init/find_data.ts'
import { type FirstLayer, type FirstTree, firstManifest } from '../init/first_manifest.ts'
import { plainLine } from '../print/text_format.ts'
import { openQuestions, type Terminal, writeLine } from '../terminal.ts'
import { schemaOf } from './schema.ts'

/** Settings of `init`. */
export interface InitSettings {
  /** Data files; those of the working directory if empty. */
  readonly files: readonly string[]
  readonly name: string | undefined
  /** Start of all keys. */
  readonly prefix: string
  readonly into: string
  readonly hasMap: boolean
  readonly isPublic: boolean
  /** Whether to ask for nothing. */
  readonly yes: boolean
}

async function runInit(settings: InitSettings, terminal: Terminal): Promise<number> {
  const { cwd, canAsk } = terminal
  const found = settings.files.length > 0 ? await nameFiles(settings.files, cwd) : await findData(cwd)
  const isAsked = canAsk && !settings.yes
  const answers = isAsked ? await ask(settings, found, terminal) : withDefaults(settings, cwd)
  if (answers === undefined) return 130
  const folder = resolve(cwd, settings.into)
  const layers = await listLayers(found, { cwd, folder }, terminal.interrupt)
  await writeManifest({ ...answers, layers }, folder, terminal)
  return 0
}

type Answers = Omit<FirstTree, 'layers'>

function withDefaults({ name, prefix, hasMap, isPublic }: InitSettings, cwd: string): Answers {
  return { prefix, name: name?.trim() || basename(cwd) || 'Maps', hasMap, isPublic }
}

/** Asks for what no option gives; undefined if the user breaks off. */
async function ask(
  settings: InitSettings,
  found: readonly FoundData[],
  terminal: Terminal,
): Promise<Answers | undefined> {
  const defaults = withDefaults(settings, terminal.cwd)
  const files = found.map(({ path }) => `  ${path}`)
  writeLine(terminal.err, [`${countOf(found.length, 'data file')} found`, ...files].join('\n'))
  const questions = openQuestions(terminal)
  const askFor = async (question: string, standard: string) =>
    (await questions.ask(`${question} [${plainLine(standard)}]: `)) ||
    (questions.signal.aborted ? '' : standard)
  const isAsked = defaults.hasMap && found.length > 0
  try {
    const name = settings.name ?? (await askFor('Name of the group of layers', defaults.name))
    const map = isAsked ? await askFor('Make a web map of them?', 'yes') : 'no'
    const open = settings.isPublic ? 'yes' : await askFor('May guests see them?', 'no')
    return questions.signal.aborted
      ? undefined
      : { ...defaults, name, hasMap: isYes(map), isPublic: isYes(open) }
  } finally {
    questions.close()
  }
}

const isYes = (answer: string) => /^y(es)?$/i.test(answer)

async function nameFiles(files: readonly string[], cwd: string): Promise<FoundData[]> {
  for (const file of files)
    if ((await findFileKind(resolve(cwd, file))) !== 'file')
      throw problem('file/not-found', `The file "${file}" does not exist.`)
  return files.map((path) => ({ path, isRaster: isRaster(path) }))
}

interface Folders {
  readonly cwd: string
  /** Folder of the manifest. */
  readonly folder: string
}

async function listLayers(
  found: readonly FoundData[],
  { cwd, folder }: Folders,
  signal: AbortSignal,
): Promise<FirstLayer[]> {
  const layers: FirstLayer[] = []
  for (const { path, isRaster } of found) {
    const file = resolve(cwd, path)
    const source = relative(folder, file).split(sep).join('/')
    const own = { source, isRaster, displayName: basename(path, extname(path)) }
    const content = isRaster ? { layers: [] } : await inspectSource(file, { signal })
    if (content.layers.length === 0) layers.push({ ...own, geometryType: content.geometryType })
    for (const layer of content.layers) {
      const { geometryType } = await inspectSource(file, { layer, signal })
      layers.push({ ...own, layer, displayName: layer, geometryType })
    }
  }
  const names = numberNames(layers.map(({ displayName }) => displayName))
  return layers.map((layer, at) => ({ ...layer, displayName: names[at] ?? layer.displayName }))
}

const schemaName = 'manifest.schema.json'

async function writeManifest(tree: FirstTree, folder: string, { cwd, out }: Terminal): Promise<void> {
  const manifest = firstManifest(tree)
  const path = join(folder, `${manifest.manifest}.yaml`)
  const shownPath = relative(cwd, path)
  if ((await findFileKind(path)) !== 'absent')
    throw problem('usage/bad-argument', `"${shownPath}" already exists.`, {
      hint: 'Choose another name with --name, or another folder with --into.',
    })
  await mkdir(folder, { recursive: true })
  await writeText(path, formatManifest(manifest, { schema: `./${schemaName}` }), shownPath)
  const schema = join(folder, schemaName)
  if ((await findFileKind(schema)) === 'absent')
    await writeText(schema, `${JSON.stringify(schemaOf('manifest'), null, 2)}\n`, relative(cwd, schema))
  const place = relative(cwd, dirname(path)) || '.'
  const paths = place === 'manifests' ? '' : ` ${place}`
  const lines = [
    `${shownPath}: ${countOf(tree.layers.length, 'layer')}${tree.hasMap && tree.layers.length > 0 ? ', 1 web map' : ''}`,
    'Next: adapt it, then',
    `  landform validate${paths}`,
    `  landform plan${paths}`,
    `  landform apply${paths}`,
  ]
  writeLine(out, lines.join('\n'))
}

async function writeText(path: string, text: string, shownPath: string): Promise<void> {
  async function* bytes() {
    yield Buffer.from(text)
  }
  await writeAtomically(path, bytes(), { shownPath, overwrite: false })
}

/** The command `init`. */
export const initCommand: CommandSpec = {
  name: 'init',
  summary: 'write a first manifest: a group with a layer and a style for each data file, and a web map',
  notes: [
    'Without files, init takes those below the working directory whose extension is that of a vector format or of GeoTIFF.',
    'To start from resources that a server has, use landform pull.',
  ],
  examples: [
    'landform init',
    'landform init roads.gpkg relief.tif --name City --public',
    'landform init roads.gpkg --prefix north_   # keys such as north_roads',
    'landform init --yes   # without questions',
  ],
  declare: (command) =>
    command
      .argument('[files...]', 'data files')
      .option('--name <name>', 'display name of the group (default: name of the working directory)')
      .option('--prefix <text>', 'start of all keys, so that they differ from those of other manifests')
      .option('--into <folder>', 'output directory', 'manifests')
      .option('--public', 'let guests see the layers and the web map')
      .option('--no-map', 'write no web map')
      .option('--yes', 'skip the questions'),
  run: ({ arguments: [files], options }, terminal) =>
    runInit(
      {
        files: (files ?? []) as readonly string[],
        name: options.name as string | undefined,
        prefix: (options.prefix as string | undefined) ?? '',
        into: String(options.into),
        hasMap: options.map !== false,
        isPublic: options.public === true,
        yes: options.yes === true,
      },
      terminal,
    ),
}
