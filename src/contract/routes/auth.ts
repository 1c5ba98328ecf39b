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
import { Type } from '../type.ts'

const profile = { route: 'auth.profile', path: '/api/component/auth/profile' } as const
const tokens = { route: 'landform.token.collection', path: '/api/component/landform/token/' } as const

/** Operations on oneself: who asks, sessions, the profile, tokens. */
export const authRoutes = {
  'auth.current_user': {
    route: 'auth.current_user',
    method: 'GET',
    path: '/api/component/auth/current_user',
    summary: 'Who asks.',
    query: query({ require_authenticated: Type.Boolean({ description: 'Refuse guests, with 401.' }) }),
    response: CurrentUserSchema,
  },
  'auth.login': {
    route: 'auth.login',
    method: 'POST',
    path: '/api/component/auth/login',
    summary: 'Starts a session: its cookie comes with the answer.',
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
    summary: 'Ends the session.',
    isAnonymous: true,
    changesSession: true,
    response: EmptySchema,
  },
  'auth.profile': { ...profile, method: 'GET', summary: 'What one is.', response: ProfileSchema },
  'auth.profile_update': {
    ...profile,
    method: 'PUT',
    summary:
      'Changes what one is. A new password takes the old one, ends all other sessions and revokes the tokens, unless keep_tokens is true.',
    body: ChangedProfileSchema,
    bodySize: 'small',
    response: EndedAccessSchema,
  },
  'token.list': {
    ...tokens,
    method: 'GET',
    summary: 'Tokens of oneself.',
    query: query({ user: Type.Integer({ description: 'For administrators: those of another user.' }) }),
    response: Type.Array(TokenSchema),
  },
  'token.create': {
    ...tokens,
    method: 'POST',
    takesKey: true,
    summary: 'Makes a token, and shows it once: repeated under its key, the request is refused.',
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
