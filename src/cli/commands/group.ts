import type { Command } from 'commander'
import type { Api } from '../../api/api.ts'
import type { GroupBody } from '../../contract/principal.ts'
import type { CommandGroup, CommandInput, CommandSpec } from '../command.ts'
import { collect, eventOptions } from '../options.ts'
import { deletePrincipals, findByName, type Principals, readPrincipals, withServer } from '../principals.ts'
import { writeEvent } from '../print/events.ts'
import { reportPrincipal } from '../print/principal.ts'
import { formatColumns } from '../print/text_format.ts'
import { type Terminal, writeLine } from '../terminal.ts'

const declareFields = (command: Command) =>
  eventOptions(command).option('--name <name>', 'display name').option('--description <text>', 'description')

const listCommand: CommandSpec = {
  name: 'list',
  summary: 'list groups, with their members',
  examples: ['landform group list', 'landform group list --json'],
  declare: eventOptions,
  run: ({ options }, terminal) =>
    withServer(options, terminal, async (api) => {
      const principals = await readPrincipals(api)
      if (options.json) for (const group of principals.groups) writeEvent(terminal.out, 'group', { group })
      else writeLine(terminal.out, formatGroups(principals))
    }),
}

function formatGroups({ users, groups }: Principals): string {
  const keynames = new Map(users.map(({ id, keyname }) => [id, keyname]))
  const rows = groups.map(({ id, keyname, display_name, members = [] }) => [
    String(id),
    keyname,
    display_name,
    members.map((member) => keynames.get(member) ?? String(member)).join(', ') || '-',
  ])
  return formatColumns(['ID', 'KEYNAME', 'NAME', 'MEMBERS'], rows)
}

const createCommand: CommandSpec = {
  name: 'create',
  summary: 'create a group',
  examples: ['landform group create editors --name Editors --member ada --member bob'],
  declare: (command) =>
    declareFields(command.argument('<keyname>', 'keyname of the group')).option(
      '--member <user>',
      'member of the group; may be repeated',
      collect,
    ),
  run: ({ arguments: [name], options }, terminal) =>
    withServer(options, terminal, async (api) => {
      const names = (options.member ?? []) as readonly string[]
      const { users } = names.length > 0 ? await readPrincipals(api) : { users: [] }
      const members = names.map((each) => findByName(users, each, 'user').id)
      const body = { keyname: String(name), ...fieldsOf(options), members }
      const { id } = await api.call('auth.group_create', { body })
      reportPrincipal(terminal, { options, kind: 'group', action: 'created', id, keyname: body.keyname })
    }),
}

const updateCommand: CommandSpec = {
  name: 'update',
  summary: 'change the given properties of a group',
  examples: ['landform group update editors --name "All editors"'],
  declare: (command) =>
    declareFields(command.argument('<group>', 'keyname or id')).option('--keyname <keyname>', 'new keyname'),
  run: ({ arguments: [name], options }, terminal) =>
    changeGroup({ name, options, terminal }, () => ({
      ...fieldsOf(options),
      ...(options.keyname === undefined ? {} : { keyname: String(options.keyname) }),
    })),
}

const declareMembers = (command: Command) =>
  eventOptions(command.argument('<group>', 'keyname or id').argument('<users...>', 'keynames or ids'))

const addCommand: CommandSpec = {
  name: 'add',
  summary: 'add users to a group',
  examples: ['landform group add editors ada bob'],
  declare: declareMembers,
  run: ({ arguments: [name, users], options }, terminal) =>
    changeGroup({ name, options, terminal }, (all) => ({ add_members: idsOf(all, users) })),
}

const removeCommand: CommandSpec = {
  name: 'remove',
  summary: 'remove users from a group',
  examples: ['landform group remove editors bob'],
  declare: declareMembers,
  run: ({ arguments: [name, users], options }, terminal) =>
    changeGroup({ name, options, terminal }, (all) => ({ remove_members: idsOf(all, users) })),
}

const deleteCommand: CommandSpec = {
  name: 'delete',
  summary: 'delete groups that no permission rule uses; their members are kept',
  examples: ['landform group delete editors'],
  declare: (command) => eventOptions(command.argument('<groups...>', 'keynames or ids')),
  run: ({ arguments: [names], options }, terminal) =>
    deletePrincipals('group', names as readonly string[], { options, terminal }),
}

interface GroupChange {
  readonly name: unknown
  readonly options: CommandInput['options']
  readonly terminal: Terminal
}

function changeGroup(
  { name, options, terminal }: GroupChange,
  bodyOf: (all: Principals) => GroupBody,
): Promise<number> {
  return withServer(options, terminal, async (api: Api) => {
    const all = await readPrincipals(api)
    const { id, keyname } = findByName(all.groups, String(name), 'group')
    const body = bodyOf(all)
    await api.call('auth.group_update', { params: { id }, body })
    reportPrincipal(terminal, {
      options,
      kind: 'group',
      action: 'updated',
      id,
      keyname: body.keyname ?? keyname,
    })
  })
}

function idsOf({ users }: Principals, names: unknown): number[] {
  return (names as readonly string[]).map((name) => findByName(users, name, 'user').id)
}

function fieldsOf({ name, description }: CommandInput['options']): GroupBody {
  return {
    ...(name === undefined ? {} : { display_name: String(name) }),
    ...(description === undefined ? {} : { description: String(description) || null }),
  }
}

/** The commands `group …`. */
export const groupCommands: CommandGroup = {
  name: 'group',
  summary: 'list, create, change and delete groups, and manage their members',
  commands: [listCommand, createCommand, updateCommand, addCommand, removeCommand, deleteCommand],
}
