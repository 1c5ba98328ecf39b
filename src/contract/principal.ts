import type { Static } from 'typebox'
import { nullable } from './descriptor.ts'
import { patterns } from './pattern.ts'
import { Type } from './type.ts'

/** Login of the administrator that every server has. */
export const administrator = 'administrator'

/** Shortest and longest password, in characters. */
export const passwordLength = { min: 8, max: 1024 } as const

const Keyname = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: patterns.login,
  description:
    'Name to log in with, and of rules; unique among users and groups. A letter, then letters, digits, _ and -.',
})
const DisplayName = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'Name people see; unique among users and groups.',
})
const Description = nullable(Type.String({ maxLength: 10_000 }), { description: 'For people.' })
const Language = Type.String({
  pattern: patterns.language,
  description: 'Language tag, as en or pt-BR.',
})
const Disabled = Type.Boolean({ description: 'Cannot log in.' })
/** Most groups of a user, and users of a group, in one request. */
const maxMembers = 10_000

const Ids = (description: string) => Type.Array(Type.Integer(), { maxItems: maxMembers, description })

/** What a listing says of a user or a group to those who may not see more. */
const brief = {
  id: Type.Integer({ description: 'Id; users and groups share one space.' }),
  system: Type.Boolean({ description: 'Belongs to the system.' }),
  keyname: Type.String(),
  display_name: Type.String(),
}

/** A user, as answers carry it; brief ones have the first four members only. */
export const UserSchema = Type.Object({
  ...brief,
  description: Type.Optional(Description),
  superuser: Type.Optional(Type.Boolean({ description: 'Has all permissions, whatever the rules say.' })),
  disabled: Type.Optional(Disabled),
  password: Type.Optional(Type.Boolean({ description: 'Whether there is one.' })),
  last_activity: Type.Optional(
    nullable(Type.String(), { description: 'To the hour; UTC, ISO 8601 without zone.' }),
  ),
  language: Type.Optional(Language),
  is_administrator: Type.Optional(Type.Boolean()),
  member_of: Type.Optional(Ids('Groups, by id.')),
})

/** A group, as answers carry it; brief ones have the first four members only. */
export const GroupSchema = Type.Object({
  ...brief,
  description: Type.Optional(Description),
  members: Type.Optional(Ids('Users, by id.')),
})

/** The words a password is sent by. Reading gives true or false, which changes nothing when it is sent back. */
const Password = Type.Union([Type.String({ maxLength: passwordLength.max }), Type.Boolean(), Type.Null()], {
  writeOnly: true,
  'x-secret': true,
  description:
    'New password; null takes it away. A change ends all sessions, and revokes the tokens unless they are kept.',
})

const KeepTokens = Type.Boolean({
  default: false,
  writeOnly: true,
  description: 'Whether a new password leaves the tokens valid; they are revoked otherwise.',
})

const ended = (description: string) =>
  Type.Optional(
    Type.Integer({ 'x-extra': true, description: `With a new password: number of ${description}.` }),
  )

/** What an answer tells of the access that a new password has ended. */
export const EndedAccessSchema = Type.Object({
  ended_sessions: ended('sessions that were ended'),
  revoked_tokens: ended('tokens that were revoked'),
})

/** What a new password has ended. */
export type EndedAccess = Static<typeof EndedAccessSchema>

const userFields = {
  display_name: Type.Optional(DisplayName),
  description: Type.Optional(Description),
  language: Type.Optional(Language),
  disabled: Type.Optional(Disabled),
  password: Type.Optional(Password),
  member_of: Type.Optional(Ids('Groups, by id; the whole list.')),
}

const groupFields = {
  display_name: Type.Optional(DisplayName),
  description: Type.Optional(Description),
  members: Type.Optional(Ids('Users, by id; the whole list.')),
}

/** What creates a user. */
export const NewUserSchema = Type.Object({ keyname: Keyname, ...userFields })
/** What changes a user; what is left out stays. */
export const ChangedUserSchema = Type.Object({
  keyname: Type.Optional(Keyname),
  ...userFields,
  keep_tokens: Type.Optional(KeepTokens),
})
/** What creates a group. */
export const NewGroupSchema = Type.Object({ keyname: Keyname, ...groupFields })
/** What changes a group; what is left out stays. */
export const ChangedGroupSchema = Type.Object({
  keyname: Type.Optional(Keyname),
  ...groupFields,
  add_members: Type.Optional(
    Ids('Users who come in, by id; nobody else goes, whoever changes the group now.'),
  ),
  remove_members: Type.Optional(Ids('Users who go, by id; nobody else does.')),
})

/** What a user may read of itself. */
export const ProfileSchema = Type.Object({
  id: Type.Integer(),
  keyname: Type.String(),
  display_name: Type.String(),
  description: Description,
  language: Language,
  member_of: Ids('Groups, by id.'),
})

/** What a user may change of itself; a new password takes the old one, and keeps the session that sends it. */
export const ChangedProfileSchema = Type.Object({
  display_name: Type.Optional(DisplayName),
  language: Type.Optional(Language),
  password: Type.Optional(Type.String({ maxLength: passwordLength.max, writeOnly: true, 'x-secret': true })),
  old_password: Type.Optional(
    Type.String({ maxLength: passwordLength.max, writeOnly: true, 'x-secret': true }),
  ),
  keep_tokens: Type.Optional(KeepTokens),
})

/** A login with its password. */
export const LoginSchema = Type.Object({
  login: Type.String({ maxLength: 255 }),
  password: Type.String({ maxLength: passwordLength.max, writeOnly: true, 'x-secret': true }),
})

/** Answer to a login. */
export const LoggedInSchema = Type.Object({
  id: Type.Integer(),
  keyname: Type.String(),
  display_name: Type.String(),
})

/** How a caller has said who it is. */
export const authMedia = ['session', 'basic', 'bearer'] as const

/** Who asks. */
export const CurrentUserSchema = Type.Object({
  id: Type.Integer(),
  keyname: Type.String(),
  display_name: Type.String(),
  language: Type.String(),
  auth_medium: nullable(Type.String(), { description: `One of ${authMedia.join(', ')}; null for guests.` }),
  auth_provider: nullable(Type.String(), {
    description: 'local_pw where a password was given, token; null for guests.',
  }),
})

const Moment = Type.String({ description: 'UTC, ISO 8601 without zone.' })

/** A token, as listings carry it: without its text. */
export const TokenSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String({ description: 'What it is for; unique among the tokens of its user.' }),
  user: Type.Object({ id: Type.Integer(), keyname: Type.String() }),
  created: Moment,
  expires: nullable(Moment),
  last_used: nullable(Moment, { description: 'To the hour.' }),
})

/** A token that has just been made; the only time its text is shown. */
export const MadeTokenSchema = Type.Object({
  ...TokenSchema.properties,
  token: Type.String({
    'x-secret': true,
    description: 'Goes behind "Bearer" in the header Authorization; not shown again.',
  }),
})

/** A token that has just been made. */
export type MadeToken = Static<typeof MadeTokenSchema>

/** What makes a token. */
export const NewTokenSchema = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255, description: 'What it is for.' }),
  expires: Type.Optional(
    nullable(Type.String({ maxLength: 40 }), {
      description: 'Date, or date and time, UTC unless a zone is given; null or absent: never.',
    }),
  ),
  user: Type.Optional(Type.Object({ id: Type.Integer() }, { description: 'For administrators: whose.' })),
})

/** A user, as on the wire. */
export type UserAnswer = Static<typeof UserSchema>
/** A group, as on the wire. */
export type GroupAnswer = Static<typeof GroupSchema>
/** A token, as on the wire. */
export type TokenAnswer = Static<typeof TokenSchema>
/** Body that creates or changes a user. */
export type UserBody = Static<typeof ChangedUserSchema>
/** Body that creates or changes a group. */
export type GroupBody = Static<typeof ChangedGroupSchema>
