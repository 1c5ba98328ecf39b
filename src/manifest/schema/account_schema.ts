import { NewGroupSchema, NewUserSchema, type PrincipalKind } from '../../contract/principal.ts'
import { patterns } from '../../contract/schema/pattern.ts'
import type { Schema } from '../../contract/schema/schema.ts'
import { type JsonSchema, toManifestSchema } from './field_schema.ts'

/** Pattern of keynames of users and groups. */
export const principalKeyPattern = patterns.login

const keyname = { type: 'string', pattern: principalKeyPattern, maxLength: 255 } as const

/** Place of a password; manifests never contain the password itself. */
const passwordSchema: JsonSchema = {
  type: 'object',
  description:
    'Place of the password, which is read only when it is sent: for a new user, for a user without a password, and with --send-secrets.',
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: {
    env: {
      type: 'string',
      pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
      description: 'Name of an environment variable.',
    },
    file: {
      type: 'string',
      minLength: 1,
      description: 'File with the password, relative to the folder of the manifest.',
    },
    command: {
      type: 'array',
      minItems: 1,
      items: { type: 'string' },
      description: 'Program that prints the password, with its arguments; run in the folder of the manifest.',
    },
  },
}

function oneMember(name: string, schema: JsonSchema): JsonSchema {
  return { type: 'object', additionalProperties: false, required: [name], properties: { [name]: schema } }
}

function membershipSchema(what: string): JsonSchema {
  const names = { type: 'array', items: keyname }
  return {
    description: `Keynames of ${what}. A list replaces all; include adds those that it lists and keeps the others.`,
    anyOf: [names, oneMember('include', names)],
  }
}

/** Schema of a block of `users:` or `groups:`. */
export function accountSchema(kind: PrincipalKind): JsonSchema {
  const { properties } = toManifestSchema((kind === 'user' ? NewUserSchema : NewGroupSchema) as Schema)
  const {
    display_name: displayName,
    description,
    language,
    disabled,
  } = properties as Record<string, JsonSchema>
  const shared = {
    was: { ...keyname, description: `Previous keyname of a renamed ${kind}.` },
    display_name: displayName,
    description,
  }
  const own =
    kind === 'group'
      ? { members: membershipSchema('users that are members') }
      : { language, disabled, member_of: membershipSchema('groups of the user'), password: passwordSchema }
  return {
    title: kind === 'user' ? 'User' : 'Group',
    type: 'object',
    additionalProperties: false,
    properties: { ...shared, ...own },
  }
}

/** Schemas of the sections of users and groups, by name. */
export function accountSections(): { readonly users: JsonSchema; readonly groups: JsonSchema } {
  const section = (kind: PrincipalKind): JsonSchema => ({
    type: 'object',
    propertyNames: { pattern: principalKeyPattern, maxLength: 255 },
    additionalProperties: accountSchema(kind),
    description: `${kind === 'user' ? 'Users' : 'Groups'} by keyname. Omitted fields stay as they are, and no ${kind} is deleted.`,
  })
  return { users: section('user'), groups: section('group') }
}
