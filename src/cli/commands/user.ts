import type { Command } from 'commander'
import type { Api } from '../../api/api.ts'
import type { EndedAccess, UserAnswer, UserBody } from '../../contract/principal.ts'
import { problem } from '../../contract/problems.ts'
import type { Credentials, Token } from '../../http/authorize.ts'
import type { CommandGroup, CommandInput, CommandSpec } from '../command.ts'
import { findCredentials, type ServerSettings } from '../connect.ts'
import { collect, eventOptions } from '../options.ts'
import { deletePrincipals, findByName, type Principals, readPrincipals, withServer } from '../principals.ts'
import { writeEvent } from '../print/events.ts'
import { reportPrincipal } from '../print/principal.ts'
import { formatColumns } from '../print/text_format.ts'
import { askHidden, type Terminal, writeLine } from '../terminal.ts'

const declareFields = (command: Command) =>
  eventOptions(command)
    .option('--name <name>', 'display name')
    .option('--description <text>', 'description')
    .option('--language <tag>', 'language tag, such as en')
    .option('--group <group>', 'group of the user; may be repeated', collect)

const passwordFromInput = ['--password-stdin', 'read the password from standard input'] as const

const listCommand: CommandSpec = {
  name: 'list',
  summary: 'list users, with their groups',
  examples: ['landform user list', 'landform user list --json'],
  declare: eventOptions,
  run: ({ options }, terminal) =>
    withServer(options, terminal, async (api) => {
      const principals = await readPrincipals(api)
      if (options.json) for (const user of principals.users) writeEvent(terminal.out, 'user', { user })
      else writeLine(terminal.out, formatUsers(principals))
    }),
}

function formatUsers({ users, groups }: Principals): string {
  const keynames = new Map(groups.map(({ id, keyname }) => [id, keyname]))
  const rows = users.map((user) => [
    String(user.id),
    user.keyname,
    user.display_name,
    (user.member_of ?? []).map((id) => keynames.get(id) ?? String(id)).join(', ') || '-',
    stateOf(user),
    user.last_activity?.slice(0, 10) ?? '-',
  ])
  return formatColumns(['ID', 'KEYNAME', 'NAME', 'GROUPS', 'STATE', 'LAST SEEN'], rows)
}

function stateOf({ system, disabled, password }: UserAnswer): string {
  if (system) return 'system'
  if (disabled) return 'disabled'
  return password ? 'active' : 'no password'
}

const createCommand: CommandSpec = {
  name: 'create',
  summary: 'create a user; reads the password from LANDFORM_NEW_PASSWORD, standard input or a prompt',
  examples: [
    'landform user create ada --name "Ada Lovelace" --group editors',
    'pwgen | landform user create robot --password-stdin',
  ],
  declare: (command) => declareFields(command.argument('<keyname>', 'login')).option(...passwordFromInput),
  run: ({ arguments: [keyname], options }, terminal) =>
    withServer(options, terminal, async (api) => {
      const password = await findNewPassword(terminal, { stdin: options.passwordStdin === true })
      const fields = await readFields(options, () => readPrincipals(api))
      const body = { keyname: String(keyname), ...fields, ...(password === undefined ? {} : { password }) }
      const { id } = await api.call('auth.user_create', { body })
      reportPrincipal(terminal, { options, kind: 'user', action: 'created', id, keyname: body.keyname })
      if (password === undefined)
        writeLine(
          terminal.err,
          `user has no password; set it with: landform user set-password ${body.keyname}`,
        )
    }),
}

const updateCommand: CommandSpec = {
  name: 'update',
  summary: 'change the given properties of a user',
  examples: ['landform user update ada --name "Ada King"', 'landform user update ada --disable'],
  declare: (command) =>
    declareFields(command.argument('<user>', 'keyname or id'))
      .option('--keyname <keyname>', 'new login')
      .option('--no-groups', 'remove the user from all groups')
      .option('--disable', 'disable sign-in and end the sessions of the user')
      .option('--enable', 'enable sign-in'),
  run: ({ arguments: [name], options }, terminal) =>
    withServer(options, terminal, async (api) => {
      const principals = await readPrincipals(api)
      const { id, keyname } = findByName(principals.users, String(name), 'user')
      const body = { ...(await readFields(options, async () => principals)), ...readState(options) }
      await api.call('auth.user_update', { params: { id }, body })
      reportPrincipal(terminal, {
        options,
        kind: 'user',
        action: 'updated',
        id,
        keyname: body.keyname ?? keyname,
      })
    }),
}

const passwordCommand: CommandSpec = {
  name: 'set-password',
  summary: 'set the password of a user or your own; ends the sessions and revokes the tokens of the user',
  examples: [
    'landform user set-password ada',
    'pwgen | landform user set-password ada --password-stdin',
    'landform user set-password --keep-tokens   # your own',
  ],
  declare: (command) =>
    eventOptions(command.argument('[user]', 'keyname or id (default: the current user)'))
      .option(...passwordFromInput)
      .option('--keep-tokens', 'keep the tokens of the user valid'),
  run: ({ arguments: [name], options }, terminal) =>
    withServer(options, terminal, async (api) => {
      const password = await findNewPassword(terminal, { stdin: options.passwordStdin === true })
      if (password === undefined)
        throw problem('usage/bad-argument', 'New password required.', {
          hint: 'Set LANDFORM_NEW_PASSWORD, or pass the password on standard input with --password-stdin.',
        })
      const body = { password, ...(options.keepTokens === true ? { keep_tokens: true } : {}) }
      const { id, keyname, ended } =
        name === undefined
          ? await setOwnPassword(api, body, await findCredentials(options as ServerSettings, terminal))
          : await setPassword(api, body, String(name))
      reportPrincipal(terminal, { options, kind: 'user', action: 'updated', id, keyname, ended })
      if (keyname === 'administrator' && !terminal.env.LANDFORM_PASSWORD && !terminal.env.LANDFORM_TOKEN)
        writeLine(
          terminal.err,
          'The password in the data directory is no longer valid: set LANDFORM_PASSWORD from now on.',
        )
    }),
}

interface NewPassword {
  readonly password: string
  readonly keep_tokens?: boolean
}

interface ChangedPassword {
  readonly id: number
  readonly keyname: string
  readonly ended: EndedAccess
}

async function setPassword(api: Api, body: NewPassword, name: string): Promise<ChangedPassword> {
  const { id, keyname } = findByName((await readPrincipals(api)).users, name, 'user')
  return { id, keyname, ended: await api.call('auth.user_update', { params: { id }, body }) }
}

async function setOwnPassword(
  api: Api,
  body: NewPassword,
  credentials: Credentials | Token | undefined,
): Promise<ChangedPassword> {
  if (credentials === undefined || 'token' in credentials)
    throw problem('usage/bad-argument', 'Cannot change the password: the current password is required.', {
      hint: 'Set LANDFORM_PASSWORD.',
    })
  // Read before the change, which invalidates these credentials.
  const { id, keyname } = await api.call('auth.profile')
  const whole = { ...body, old_password: credentials.password }
  return { id, keyname, ended: await api.call('auth.profile_update', { body: whole }) }
}

const deleteCommand: CommandSpec = {
  name: 'delete',
  summary: 'delete users who own no resources and whom no permission rule uses',
  examples: ['landform user delete ada'],
  declare: (command) => eventOptions(command.argument('<users...>', 'keynames or ids')),
  run: ({ arguments: [names], options }, terminal) =>
    deletePrincipals('user', names as readonly string[], { options, terminal }),
}

async function readFields(
  options: CommandInput['options'],
  read: () => Promise<Principals>,
): Promise<UserBody> {
  const { name, description, language, group } = options as Readonly<Record<string, string | undefined>>
  const names = group as readonly string[] | undefined
  const groups = names === undefined ? [] : (await read()).groups
  return {
    ...(name === undefined ? {} : { display_name: name }),
    ...(description === undefined ? {} : { description: description || null }),
    ...(language === undefined ? {} : { language }),
    ...(names === undefined ? {} : { member_of: names.map((each) => findByName(groups, each, 'group').id) }),
  }
}

function readState({ keyname, groups, disable, enable }: CommandInput['options']): UserBody {
  if (disable && enable) throw problem('usage/bad-argument', '--disable and --enable cannot be combined.')
  return {
    ...(keyname === undefined ? {} : { keyname: String(keyname) }),
    ...(groups === false ? { member_of: [] } : {}),
    ...(disable || enable ? { disabled: disable === true } : {}),
  }
}

/** The commands `user …`. */
export const userCommands: CommandGroup = {
  name: 'user',
  summary: 'list, create, change and delete users',
  commands: [listCommand, createCommand, updateCommand, passwordCommand, deleteCommand],
}

/**
 * Reads a new password from standard input, from LANDFORM_NEW_PASSWORD, or from a prompt with confirmation; undefined if
 * none of them is available. Never an argument, since every user of the machine can see those.
 *
 * @throws {Problem} usage/bad-argument if standard input is empty or the passwords differ, pipeline/interrupted
 */
async function findNewPassword(
  terminal: Terminal,
  { stdin }: { readonly stdin: boolean },
): Promise<string | undefined> {
  if (stdin) return readPassword(terminal)
  const { LANDFORM_NEW_PASSWORD: given } = terminal.env
  if (given !== undefined && given !== '') return given
  return terminal.canAsk ? askPassword(terminal) : undefined
}

async function readPassword({ input }: Terminal): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of input) chunks.push(Buffer.from(chunk))
  const password = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
  if (password === '') throw problem('usage/bad-argument', 'Standard input has no password.')
  return password
}

async function askPassword(terminal: Terminal): Promise<string> {
  const [password, again] = await askHidden(terminal, ['New password:', 'Repeat password:'])
  if (password === undefined || again === undefined)
    throw problem('pipeline/interrupted', 'No password was entered.')
  if (password !== again) throw problem('usage/bad-argument', 'The passwords do not match.')
  return password
}
