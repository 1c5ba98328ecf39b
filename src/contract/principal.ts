import type { Static } from 'typebox'
import { nullable } from './descriptor.ts'
import { patterns } from './schema/pattern.ts'
import { Type } from './schema/type.ts'

/** Login of the built-in administrator. */
export const administrator = 'administrator'

/** Kinds of principals. */
export const principalKinds = ['group', 'user'] as const

/** Kind of a principal. */
export type PrincipalKind = (typeof principalKinds)[number]

/** Minimum and maximum length of a password, in characters. */
export const passwordLength = { min: 8, max: 1024 } as const

/** Minimum number of different characters of a password. */
const minDifferent = 4

/** Describes the requirement that a new password does not meet, without the password; undefined if it meets all. */
export function describeWeakness(password: string, keyname: string): string | undefined {
  const characters = [...password.normalize('NFKC')]
  const { min, max } = passwordLength
  if (characters.length < min || characters.length > max) return `must have ${min} to ${max} characters`
  if (new Set(characters).size < minDifferent)
    return `must have at least ${minDifferent} different characters`
  return password.toLowerCase() === keyname.toLowerCase() ? 'must differ from the login' : undefined
}

const Keyname = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: patterns.login,
  description:
    'Login name, also used in rules; unique among users and groups. A letter followed by letters, digits, _ and -.',
})
const DisplayName = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: patterns.visible,
  description: 'Display name; unique among users and groups.',
})
const Description = nullable(Type.String({ maxLength: 10_000 }), { description: 'Description.' })
const Language = Type.String({
  pattern: patterns.language,
  description: 'Language tag, such as en or pt-BR.',
})
const Disabled = Type.Boolean({ description: 'Whether the user cannot log in.' })
/** Maximum number of groups of a user, and users of a group, in a request. */
const maxMembers = 10_000

const Ids = (description: string) => Type.Array(Type.Integer(), { maxItems: maxMembers, description })

/** Members of a user or a group that every user can read. */
const brief = {
  id: Type.Integer({ description: 'Identifier, unique among users and groups.' }),
  system: Type.Boolean({ description: 'Whether it belongs to the system.' }),
  keyname: Type.String(),
  display_name: Type.String(),
}

/** User in responses; brief listings have the first four members only. */
export const UserSchema = Type.Object({
  ...brief,
  description: Type.Optional(Description),
  superuser: Type.Optional(
    Type.Boolean({ description: 'Whether the user has all permissions, regardless of the rules.' }),
  ),
  disabled: Type.Optional(Disabled),
  password: Type.Optional(Type.Boolean({ description: 'Whether the user has a password.' })),
  last_activity: Type.Optional(
    nullable(Type.String(), {
      description: 'Time of the last activity, to the hour; UTC, ISO 8601 without time zone.',
    }),
  ),
  language: Type.Optional(Language),
  is_administrator: Type.Optional(Type.Boolean()),
  member_of: Type.Optional(Ids('Ids of the groups of the user.')),
})

/** Group in responses; brief listings have the first four members only. */
export const GroupSchema = Type.Object({
  ...brief,
  description: Type.Optional(Description),
  members: Type.Optional(Ids('Ids of the members.')),
})

/** Password in requests. Responses have true or false, which change nothing when sent back. */
const Password = Type.Union([Type.String({ maxLength: passwordLength.max }), Type.Boolean(), Type.Null()], {
  writeOnly: true,
  'x-secret': true,
  description:
    'New password; null removes it. A change ends all sessions, and revokes all tokens unless keep_tokens is true.',
})

const KeepTokens = Type.Boolean({
  default: false,
  writeOnly: true,
  description: 'Whether the tokens stay valid after a password change; otherwise they are revoked.',
})

const ended = (description: string) =>
  Type.Optional(
    Type.Integer({ 'x-extension': true, description: `After a password change: number of ${description}.` }),
  )

/** Sessions and tokens that a password change has ended. */
export const EndedAccessSchema = Type.Object({
  ended_sessions: ended('ended sessions'),
  revoked_tokens: ended('revoked tokens'),
})

/** Sessions and tokens that a password change has ended. */
export type EndedAccess = Static<typeof EndedAccessSchema>

const userFields = {
  display_name: Type.Optional(DisplayName),
  description: Type.Optional(Description),
  language: Type.Optional(Language),
  disabled: Type.Optional(Disabled),
  password: Type.Optional(Password),
  member_of: Type.Optional(Ids('Ids of all groups of the user.')),
}

const groupFields = {
  display_name: Type.Optional(DisplayName),
  description: Type.Optional(Description),
  members: Type.Optional(Ids('Ids of all members of the group.')),
}

/** Body that creates a user. */
export const NewUserSchema = Type.Object({ keyname: Keyname, ...userFields })
/** Body that changes a user; absent members keep their value. */
export const ChangedUserSchema = Type.Object({
  keyname: Type.Optional(Keyname),
  ...userFields,
  keep_tokens: Type.Optional(KeepTokens),
})
/** Body that creates a group. */
export const NewGroupSchema = Type.Object({ keyname: Keyname, ...groupFields })
/** Body that changes a group; absent members keep their value. */
export const ChangedGroupSchema = Type.Object({
  keyname: Type.Optional(Keyname),
  ...groupFields,
  add_members: Type.Optional(
    Ids('Ids of members to add; other members stay, also under concurrent changes.'),
  ),
  remove_members: Type.Optional(Ids('Ids of members to remove; other members stay.')),
})

/** Profile of the caller. */
export const ProfileSchema = Type.Object({
  id: Type.Integer(),
  keyname: Type.String(),
  display_name: Type.String(),
  description: Description,
  language: Language,
  member_of: Ids('Ids of the groups of the user.'),
})

/** Body that changes the profile; a new password requires the old one, and keeps the current session. */
export const ChangedProfileSchema = Type.Object({
  display_name: Type.Optional(DisplayName),
  language: Type.Optional(Language),
  password: Type.Optional(Type.String({ maxLength: passwordLength.max, writeOnly: true, 'x-secret': true })),
  old_password: Type.Optional(
    Type.String({ maxLength: passwordLength.max, writeOnly: true, 'x-secret': true }),
  ),
  keep_tokens: Type.Optional(KeepTokens),
})

/** Login request. */
export const LoginSchema = Type.Object({
  login: Type.String({ maxLength: 255 }),
  password: Type.String({ maxLength: passwordLength.max, writeOnly: true, 'x-secret': true }),
})

/** Response to a login. */
export const LoggedInSchema = Type.Object({
  id: Type.Integer(),
  keyname: Type.String(),
  display_name: Type.String(),
})

/** Authentication methods of requests. */
export const authMedia = ['session', 'basic', 'bearer'] as const

/** Current user. */
export const CurrentUserSchema = Type.Object({
  id: Type.Integer(),
  keyname: Type.String(),
  display_name: Type.String(),
  language: Type.String(),
  auth_medium: nullable(Type.String(), { description: `One of ${authMedia.join(', ')}; null for guests.` }),
  auth_provider: nullable(Type.String(), {
    description: 'local_pw for passwords, token for tokens; null for guests.',
  }),
})

const Moment = Type.String({ description: 'UTC, ISO 8601 without time zone.' })

/** Token in listings, without its secret. */
export const TokenSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String({ description: 'Purpose; unique among the tokens of the user.' }),
  user: Type.Object({ id: Type.Integer(), keyname: Type.String() }),
  created: Moment,
  expires: nullable(Moment),
  last_used: nullable(Moment, { description: 'Time of the last use, to the hour.' }),
})

/** New token, with its secret, which is shown only once. */
export const MadeTokenSchema = Type.Object({
  ...TokenSchema.properties,
  token: Type.String({
    'x-secret': true,
    description: 'Secret of the token, for the header "Authorization: Bearer"; not shown again.',
  }),
})

/** New token, with its secret. */
export type MadeToken = Static<typeof MadeTokenSchema>

/** Body that creates a token. */
export const NewTokenSchema = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255, description: 'Purpose.' }),
  expires: Type.Optional(
    nullable(Type.String({ maxLength: 40 }), {
      description: 'Expiry date, or date and time; UTC unless a time zone is given; never if null or absent.',
    }),
  ),
  user: Type.Optional(
    Type.Object({ id: Type.Integer() }, { description: 'Owner of the token; for administrators.' }),
  ),
})

/** User on the wire. */
export type UserAnswer = Static<typeof UserSchema>
/** Group on the wire. */
export type GroupAnswer = Static<typeof GroupSchema>
/** Token on the wire. */
export type TokenAnswer = Static<typeof TokenSchema>
/** Body that creates or changes a user. */
export type UserBody = Static<typeof ChangedUserSchema>
/** Body that creates or changes a group. */
export type GroupBody = Static<typeof ChangedGroupSchema>
