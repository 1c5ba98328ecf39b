import { homedir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Api } from '../../api/api.ts'
import { resolveFeatureLayer, resolveResource } from '../../api/resolve_resource.ts'
import { loadOptions } from '../../contract/classes/vector_layer.ts'
import { encodedSourceTitles, listTitles, sourceFormatList } from '../../contract/formats/source_formats.ts'
import { countOf } from '../../core/count.ts'
import { isProblem, type Problem, withHint } from '../../core/problem.ts'
import { mainOf } from '../../files/source_parts.ts'
import { createFromFile, type FileLoad, type LoadResult, replaceWithFile } from '../../pipeline/load_file.ts'
import type { RunContext } from '../../pipeline/run_context.ts'
import { nameEncoding } from '../../transfer/source_encoding.ts'
import { describeDifference, differenceFacts } from '../../transfer/sync/feature_difference.ts'
import { defaultParts } from '../../transfer/upload_in_parts.ts'
import { openUploadMemory } from '../../transfer/upload_memory.ts'
import type { CommandInput, CommandSpec } from '../command.ts'
import { eventOptions } from '../options.ts'
import { withServer } from '../principals.ts'
import { writeEvent } from '../print/events.ts'
import { formatBad, formatSkippedCount } from '../print/load.ts'
import { startRunProgress } from '../print/run.ts'
import { showBefore, showDuration } from '../print/text_format.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import {
  checkFile,
  checkOptions,
  refuseForeign,
  refuseParent,
  refuseTaken,
  refuseUnpermitted,
} from './import_checks.ts'
import { type LayerFacts, layerFacts, nameLayer } from './layer.ts'

/** The command `data import`. */
export const importCommand: CommandSpec = {
  name: 'import',
  summary: 'import files as new layers, or replace the data of a layer',
  examples: [
    'landform data import roads.shp --parent city',
    'landform data import *.geojson --parent City/Survey',
    'landform data import roads.gpkg --source-layer main --into roads --skip-errors',
    'landform data import stops.csv --into stops --sync-key code',
    'landform data import old.zip --parent city --name Roads --keyname roads --encoding CP1251',
  ],
  declare,
  run: async ({ arguments: [paths], options }, terminal) => {
    const files = mainOf((paths as readonly string[]).map((path) => resolve(terminal.cwd, path)))
    checkOptions(files, options)
    for (const path of files) await checkFile(path, terminal)
    return withServer(options, terminal, async (api) => {
      const run = { api, options, terminal }
      if (options.into !== undefined) await replace(run, String(options.into), files[0] ?? '')
      else await create(run, String(options.parent), files)
    })
  },
}

/** Schema of a load option. */
interface Member {
  readonly type?: string
  readonly enum?: readonly (string | null)[]
  readonly anyOf?: readonly Member[]
  readonly description?: string
}

type Reader = (text: string) => unknown

const variants = (member: Member): readonly Member[] => [member, ...(member.anyOf ?? [])]

const typesOf = (member: Member) => variants(member).flatMap(({ type }) => type ?? [])

const wordsOf = (member: Member) =>
  variants(member).flatMap((variant) => (variant.enum ?? []).filter((word) => word !== null))

const readYes: Reader = (text) => {
  const found = /^(?:(yes|true|1)|no|false|0)$/i.exec(text)
  if (found === null) throw new InvalidArgumentError('Use yes or no.')
  return found[1] !== undefined
}

const camelOf = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

function declare(command: Command): Command {
  const own = command
    .argument(
      '<files...>',
      `${listTitles(sourceFormatList)}; sidecar files of the same name are uploaded with them`,
    )
    .option('--parent <group>', 'group for new layers: keyname, id, or path of names')
    .option('--into <layer>', 'layer whose data to replace: keyname, id, or path of names')
    .option('--name <name>', 'display name (default: the name of the file)')
    .option('--keyname <keyname>', 'keyname of the new layer')
    .option(
      '--encoding <name>',
      `character encoding of ${encodedSourceTitles}, if the file does not declare it`,
    )
    .option('--take', 'replace the data even if a manifest manages the layer')
    .option(
      '--sync-key <fields>',
      'change only the features that differ from the file, identified by these comma-separated fields',
    )
    .option('--allow-loss', 'replace the data even if features or fields are lost')
  return eventOptions(declareLoadOptions(own))
}

interface Run {
  readonly api: Api
  readonly options: CommandInput['options']
  readonly terminal: Terminal
}

async function create(run: Run, parentName: string, files: readonly string[]): Promise<void> {
  const { api, options, terminal } = run
  const parent = await resolveResource(api, parentName, terminal.interrupt)
  await refuseParent(api, parent, terminal.interrupt)
  for (const path of files) {
    const displayName = (options.name as string | undefined) ?? nameOf(path)
    const keyname = options.keyname as string | undefined
    const own = { parent: parent.resource.id ?? 0, displayName, keyname }
    await refuseTaken(api, own, terminal.interrupt)
    await loadAndTell(run, {
      action: 'created',
      load: (context) => createFromFile(loadOf(path, run), own, context),
      layerOf: ({ id }) => ({ id, keyname: keyname ?? null, display_name: displayName }),
    })
  }
}

async function replace(run: Run, name: string, path: string): Promise<void> {
  const { api, options, terminal } = run
  const layer = await resolveFeatureLayer(api, name, terminal.interrupt)
  refuseForeign(layer)
  const need = { id: layer.resource.id ?? 0, scope: 'data', permission: 'write' }
  await refuseUnpermitted(api, need, terminal.interrupt)
  const key = (options.syncKey as string | undefined)?.split(',').map((field) => field.trim())
  const standing = { layer, allowLoss: options.allowLoss === true, take: options.take === true, key }
  await loadAndTell(run, {
    action: key === undefined ? 'replaced' : 'synchronized',
    load: (context) => replaceWithFile(loadOf(path, run), standing, context),
    layerOf: () => layerFacts(layer),
  })
}

/** Returns the name of a file without its extensions: `roads` of `roads.shp.zip`. */
const nameOf = (path: string) => basename(path).replace(/(?<=.)(\.[a-z0-9]{1,8})?(\.zip)?$/i, '')

function loadOf(path: string, { options, terminal }: Run): FileLoad {
  const { XDG_CACHE_HOME: cache } = terminal.env
  const memory = openUploadMemory(join(cache || join(homedir(), '.cache'), 'landform', 'uploads'))
  return {
    path,
    reading: readLoadOptions(options),
    encoding: options.encoding as string | undefined,
    parts: { ...defaultParts, memory },
  }
}

interface Loading {
  readonly action: 'created' | 'replaced' | 'synchronized'
  readonly load: (context: RunContext) => Promise<LoadResult>
  readonly layerOf: (loaded: LoadResult) => LayerFacts
}

async function loadAndTell(
  { api, options, terminal }: Run,
  { action, load, layerOf }: Loading,
): Promise<void> {
  const start = performance.now()
  const progress = startRunProgress({ terminal, json: options.json === true, quiet: false })
  try {
    const loaded = await load({ api, tell: progress.take, signal: terminal.interrupt, force: false })
    progress.end()
    const layer = layerOf(loaded)
    const { before, count, report, skipped, difference, notes } = loaded
    const facts = { action, layer, before, count, report, skipped, notes }
    const more = difference === undefined ? {} : { difference: differenceFacts(difference) }
    if (options.json) writeEvent(terminal.out, 'imported', { ...facts, ...more })
    else writeLine(terminal.out, formatLoaded(loaded, { action, layer, tookMs: performance.now() - start }))
  } catch (error) {
    throw isProblem(error) ? nameOptions(error) : error
  } finally {
    progress.end()
  }
}

/** Replaces the members named in the hint by the corresponding options. */
function nameOptions(found: Problem): Problem {
  return found.hint === undefined ? found : withHint(found, nameFlags(found.hint))
}

/** Maximum number of invalid features in the output, as in responses of servers. */
const maxListed = 10

function formatLoaded(
  { before, count, report, difference, notes, skipped = report }: LoadResult,
  { action, layer, tookMs }: { action: string; layer: LayerFacts; tookMs: number },
): string {
  const left = formatSkippedCount(skipped)
  const changes = difference === undefined ? '' : `: ${describeDifference(difference)}`
  const facts = `${countOf(count, 'feature')}${showBefore(before)}${changes}${left} in ${showDuration(tookMs)}`
  const lines = [...(skipped === undefined ? [] : formatBad(skipped, maxListed)), ...notes.map(nameFlags)]
  return [`${action} ${nameLayer(layer)}: ${facts}`, ...lines.map((line) => `  ${line}`)].join('\n')
}

/** Declares an option for every load option of the class: `--skip-errors` for `skip_errors`. */
function declareLoadOptions(command: Command): Command {
  for (const [name, schema] of Object.entries(loadOptions))
    command.addOption(optionOf(name, schema as Member))
  return command
}

/** Reads the load options, as members of the class. */
function readLoadOptions(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const reading: Record<string, unknown> = {}
  for (const name of Object.keys(loadOptions)) {
    const value = options[camelOf(name)]
    if (value !== undefined) reading[name] = value
  }
  // --fid-field implies ids from that field.
  if (reading.fid_field !== undefined) reading.fid_source ??= 'FIELD'
  return reading
}

function optionOf(name: string, member: Member): Option {
  const flag = `--${name.replaceAll('_', '-')}`
  const description = describe(member)
  const words = wordsOf(member)
  if (words.length > 0)
    return new Option(`${flag} <${words.join('|')}>`, description).argParser(readWord(words))
  if (typesOf(member).includes('boolean'))
    return member.type === 'boolean' && member.anyOf === undefined
      ? new Option(flag, description)
      : new Option(`${flag} <yes|no>`, description).argParser(readYes)
  return new Option(`${flag} <name>`, description)
}

function describe({ description = '' }: Member): string {
  const text = nameFlags(description.replace(/\.$/, '').replace(/; null detects it$/, ' (default: detected)'))
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** Replaces members of the class in a text by the corresponding options. */
function nameFlags(text: string): string {
  const named = text.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) =>
    Object.hasOwn(loadOptions, word) ? `--${word.replaceAll('_', '-')}` : word,
  )
  return nameEncoding(named, '--encoding')
}

function readWord(words: readonly string[]): Reader {
  return (text) => {
    const found = words.find((word) => word.toLowerCase() === text.toLowerCase())
    if (found === undefined) throw new InvalidArgumentError(`Use one of ${words.join(', ')}.`)
    return found
  }
}
