import type { Command } from 'commander'
import type { Api } from '../../api/api.ts'
import type { MadeToken, TokenAnswer } from '../../contract/principal.ts'
import { problem } from '../../contract/problems.ts'
import type { BodyOf } from '../../contract/route.ts'
import type { authRoutes } from '../../contract/routes/auth.ts'
import { isProblem } from '../../core/problem.ts'
import { findHint } from '../../core/suggest.ts'
import type { CommandGroup, CommandInput, CommandSpec } from '../command.ts'
import { eventOptions } from '../options.ts'
import { findByName, readPrincipals, withServer } from '../principals.ts'
import { writeEvent } from '../print/events.ts'
import { formatColumns } from '../print/text_format.ts'
import { writeLine } from '../terminal.ts'

const declareShared = (command: Command) =>
  eventOptions(command).option(
    '--for <user>',
    'owner of the token, for administrators (default: the current user)',
  )

const createCommand: CommandSpec = {
  name: 'create',
  summary: 'create a token and print it once; set LANDFORM_TOKEN to use it',
  examples: [
    'landform token create "nightly import"',
    'landform token create ci --for robot --expires 2030-12-31',
    'export LANDFORM_TOKEN=$(landform token create laptop --expires 30d)',
  ],
  declare: (command) =>
    declareShared(command.argument('<name>', 'name of the token')).option(
      '--expires <when>',
      'expiry: days such as 90d, a date, or never',
      '90d',
    ),
  run: ({ arguments: [name], options }, terminal) =>
    withServer(options, terminal, async (api) => {
      const expires = expiryOf(String(options.expires))
      const user = await findUserId(api, options)
      const body = { name: String(name), expires, ...(user === undefined ? {} : { user: { id: user } }) }
      const made = await createToken(api, body)
      const until = made.expires === null ? 'without expiry' : `until ${made.expires} UTC`
      if (options.json) return writeEvent(terminal.out, 'token', { action: 'created', token: made })
      writeLine(terminal.out, made.token)
      writeLine(terminal.err, `token "${made.name}" of ${made.user.keyname}, ${until}; shown only once`)
    }),
}

/** Creates a token. If the response is lost, revokes the token and creates another one, since its secret is shown once. */
async function createToken(api: Api, body: BodyOf<(typeof authRoutes)['token.create']>): Promise<MadeToken> {
  try {
    return await api.call('token.create', { body })
  } catch (error) {
    const lost = isProblem(error, 'request/answer-lost') ? error.data.answer : undefined
    const { id } = (lost ?? {}) as { readonly id?: unknown }
    if (typeof id !== 'number') throw error
    await api.call('token.revoke', { params: { token: id } })
    return api.call('token.create', { body })
  }
}

const listCommand: CommandSpec = {
  name: 'list',
  summary: 'list tokens',
  examples: ['landform token list', 'landform token list --for robot --json'],
  declare: declareShared,
  run: ({ options }, terminal) =>
    withServer(options, terminal, async (api) => {
      const tokens = await readTokens(api, options)
      if (options.json) for (const token of tokens) writeEvent(terminal.out, 'token', { token })
      else writeLine(terminal.out, formatTokens(tokens))
    }),
}

const revokeCommand: CommandSpec = {
  name: 'revoke',
  summary: 'revoke tokens',
  examples: ['landform token revoke laptop', 'landform token revoke ci --for robot'],
  declare: (command) => declareShared(command.argument('<tokens...>', 'names or ids')),
  run: ({ arguments: [names], options }, terminal) =>
    withServer(options, terminal, async (api) => {
      const tokens = await readTokens(api, options)
      const found = (names as readonly string[]).map((name) => findToken(tokens, name))
      for (const { id, name } of found) {
        await api.call('token.revoke', { params: { token: id } })
        if (options.json) writeEvent(terminal.out, 'token', { action: 'revoked', token: { id, name } })
        else writeLine(terminal.out, `revoked token "${name}" (id = ${id})`)
      }
    }),
}

function formatTokens(tokens: readonly TokenAnswer[]): string {
  const rows = tokens.map(({ id, name, created, expires, last_used }) => [
    String(id),
    name,
    created.slice(0, 10),
    expires?.slice(0, 10) ?? 'never',
    last_used?.slice(0, 10) ?? '-',
  ])
  return formatColumns(['ID', 'NAME', 'CREATED', 'EXPIRES', 'LAST USED'], rows)
}

function findToken(tokens: readonly TokenAnswer[], text: string): TokenAnswer {
  const found = tokens.find(({ name }) => name === text) ?? tokens.find(({ id }) => String(id) === text)
  if (found !== undefined) return found
  throw problem('token/not-found', `Token "${text}" not found.`, {
    hint: findHint(
      text,
      tokens.map(({ name }) => name),
    ),
  })
}

async function readTokens(api: Api, options: CommandInput['options']): Promise<TokenAnswer[]> {
  const user = await findUserId(api, options)
  return api.call('token.list', { query: user === undefined ? {} : { user } })
}

async function findUserId(api: Api, { for: name }: CommandInput['options']): Promise<number | undefined> {
  if (name === undefined) return undefined
  return findByName((await readPrincipals(api)).users, String(name), 'user').id
}

const dayMs = 86_400_000

/**
 * Parses the expiry of a token. The server parses dates; days count from now.
 *
 * @throws {Problem} usage/bad-argument
 */
function expiryOf(text: string): string | null {
  if (text === 'never') return null
  const days = /^(\d{1,5})d$/.exec(text)?.[1]
  const isDate = /^\d{4}-\d{2}-\d{2}/.test(text) && new Date(text).getTime() > Date.now()
  if (days === undefined ? !isDate : Number(days) === 0)
    throw problem('usage/bad-argument', `--expires "${text}" is not a date in the future.`, {
      hint: 'Use days such as 90d, a date such as 2030-12-31, or never.',
    })
  return days === undefined ? text : new Date(Date.now() + Number(days) * dayMs).toISOString()
}

/** The commands `token …`. */
export const tokenCommands: CommandGroup = {
  name: 'token',
  summary: 'create, list and revoke access tokens',
  commands: [createCommand, listCommand, revokeCommand],
}
