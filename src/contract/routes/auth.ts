import {
  ChangedProfileSchema,
  CurrentUserSchema,
  EndedAccessSchema,
  LoggedInSchema,
  LoginSchema,
  MadeTokenSchema,
  NewTokenSchema,
  ProfileSchema,
  TokenSchema,
} from '../principal.ts'
import { EmptySchema, query, type RouteDescriptor } from '../route.ts'
import { Type } from '../schema/type.ts'

const profile = { route: 'auth.profile', path: '/api/component/auth/profile' } as const
const tokens = { route: 'landform.token.collection', path: '/api/component/landform/token/' } as const

/** Operations of the caller: current user, sessions, profile, tokens. */
export const authRoutes = {
  'auth.current_user': {
    route: 'auth.current_user',
    method: 'GET',
    path: '/api/component/auth/current_user',
    summary: 'Returns the current user.',
    query: query({ require_authenticated: Type.Boolean({ description: 'Whether guests get status 401.' }) }),
    response: CurrentUserSchema,
  },
  'auth.login': {
    route: 'auth.login',
    method: 'POST',
    path: '/api/component/auth/login',
    summary: 'Signs in: starts a session and sets its cookie.',
    body: LoginSchema,
    bodyKind: 'form',
    bodySize: 'small',
    isAnonymous: true,
    changesSession: true,
    response: LoggedInSchema,
  },
  'auth.logout': {
    route: 'auth.logout',
    method: 'POST',
    path: '/api/component/auth/logout',
    summary: 'Signs out: ends the session.',
    isAnonymous: true,
    changesSession: true,
    response: EmptySchema,
  },
  'auth.profile': {
    ...profile,
    method: 'GET',
    summary: 'Returns the profile of the caller.',
    response: ProfileSchema,
  },
  'auth.profile_update': {
    ...profile,
    method: 'PUT',
    summary:
      'Changes the profile of the caller. A new password requires the old one, ends all other sessions and revokes the tokens, unless keep_tokens is true.',
    body: ChangedProfileSchema,
    bodySize: 'small',
    response: EndedAccessSchema,
  },
  'token.list': {
    ...tokens,
    method: 'GET',
    summary: 'Lists the tokens of the caller.',
    query: query({ user: Type.Integer({ description: 'User whose tokens to list; for administrators.' }) }),
    response: Type.Array(TokenSchema),
  },
  'token.create': {
    ...tokens,
    method: 'POST',
    takesKey: true,
    summary:
      'Creates a token and returns it once. A repeated request with the same Idempotency-Key is rejected.',
    body: NewTokenSchema,
    bodySize: 'small',
    response: MadeTokenSchema,
  },
  'token.revoke': {
    route: 'landform.token.item',
    method: 'DELETE',
    path: '/api/component/landform/token/{token}',
    summary: 'Revokes a token.',
    params: Type.Object({ token: Type.Integer({ minimum: 0, description: 'Token.' }) }),
    response: EmptySchema,
  },
} as const satisfies Record<string, RouteDescriptor>
