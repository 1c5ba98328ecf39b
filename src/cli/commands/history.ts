import type { Api } from '../../api/api.ts'
import { resolveResource } from '../../api/resolve_resource.ts'
import { type JournalEntry, maxJournalEntries } from '../../contract/bodies/journal.ts'
import { problem } from '../../contract/problems.ts'
import { isProblem } from '../../core/problem.ts'
import type { CommandSpec } from '../command.ts'
import { eventOptions, parseCount } from '../options.ts'
import { withServer } from '../principals.ts'
import { writeEvent } from '../print/events.ts'
import { formatHistory } from '../print/history.ts'
import { type Terminal, writeLine } from '../terminal.ts'

/** Number of entries without `--limit`. */
const defaultLimit = 20

/** Which entries of the journal to show. */
interface HistorySettings {
  /** Key, id or path of a resource, or key of a record. */
  readonly name: string | undefined
  readonly entry: number | undefined
  readonly limit: number
}

/** Reads the journal of a server. */
async function readHistory(
  api: Api,
  { name, entry, limit }: HistorySettings,
  signal: AbortSignal,
): Promise<JournalEntry[]> {
  if (entry !== undefined) return [await api.call('journal.get', { params: { id: entry }, signal })]
  if (name === undefined) return api.call('journal.list', { query: { limit }, signal })
  const found = await findResource(api, name, signal)
  const byKey = await api.call('journal.list', { query: { key: name, limit }, signal })
  if (found !== undefined) {
    const byId = await api.call('journal.list', { query: { resource: found.id, limit }, signal })
    return found.keyname === name ? joinHistories(byId, byKey).slice(0, limit) : byId
  }
  if (byKey.length > 0) return byKey
  throw problem('resource/not-found', `The journal has no changes of "${name}" that this account can read.`, {
    hint: 'Use the key, id or path of a resource, or the key that a deleted resource had.',
  })
}

/** Joins the applies that changed a resource with those of former resources with its key, newest first. */
function joinHistories(ofResource: readonly JournalEntry[], ofKey: readonly JournalEntry[]): JournalEntry[] {
  const known = new Set(ofResource.map(({ id }) => id))
  const others = ofKey.filter(({ id }) => !known.has(id))
  return [...ofResource, ...others].toSorted((a, b) => b.id - a.id)
}

async function findResource(
  api: Api,
  name: string,
  signal: AbortSignal,
): Promise<{ readonly id: number; readonly keyname?: string | null | undefined } | undefined> {
  try {
    return (await resolveResource(api, name, signal)).resource
  } catch (error) {
    if (isProblem(error, 'resource/not-found')) return undefined
    throw error
  }
}

function readSettings(
  [name]: readonly unknown[],
  { entry, limit = defaultLimit }: Readonly<Record<string, unknown>>,
): HistorySettings {
  if (name !== undefined && entry !== undefined)
    throw problem('usage/bad-argument', 'A resource and --entry exclude each other.', {
      hint: 'Use --entry without a resource: it lists all changes of the apply.',
    })
  if ((limit as number) > maxJournalEntries)
    throw problem('usage/bad-argument', `--limit ${limit} is more than ${maxJournalEntries}.`)
  return {
    name: name as string | undefined,
    entry: entry as number | undefined,
    limit: limit as number,
  }
}

function show(entries: readonly JournalEntry[], json: boolean, terminal: Terminal): void {
  if (json) for (const entry of entries) writeEvent(terminal.out, 'entry', { entry })
  else writeLine(terminal.out, formatHistory(entries))
}

/** The command `history`. */
export const historyCommand: CommandSpec = {
  name: 'history',
  summary: 'list who applied which manifest when, and what it changed',
  notes: [
    'Without a resource: all applies for administrators, your own for others.\nWith a resource: all applies that changed it, if you can read it.',
  ],
  examples: [
    'landform history',
    'landform history roads   # what happened to a resource',
    'landform history --entry 12   # all changes of an apply',
    'landform history --limit 100 --json',
  ],
  declare: (command) =>
    eventOptions(command.argument('[resource]', 'key, id or path of a resource, or key of a deleted one'))
      .option('--entry <id>', 'show an apply with all of its changes', parseCount)
      .option('--limit <count>', `maximum number of applies (default: ${defaultLimit})`, parseCount),
  run: ({ arguments: words, options }, terminal) =>
    withServer(options, terminal, async (api) => {
      const entries = await readHistory(api, readSettings(words, options), terminal.interrupt)
      show(entries, options.json === true, terminal)
    }),
}
