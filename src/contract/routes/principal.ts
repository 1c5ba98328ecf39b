import {
  ChangedGroupSchema,
  ChangedUserSchema,
  EndedAccessSchema,
  GroupSchema,
  NewGroupSchema,
  NewUserSchema,
  UserSchema,
} from '../principal.ts'
import { EmptySchema, query, type RouteDescriptor } from '../route.ts'
import { Type } from '../schema/type.ts'

const briefly = query({
  brief: Type.Boolean({ description: 'Whether to return only id, system, keyname and display name.' }),
})
const IdAnswer = Type.Object({ id: Type.Integer() })

const users = { route: 'auth.user.collection', path: '/api/component/auth/user/' } as const
const user = {
  route: 'auth.user.item',
  path: '/api/component/auth/user/{id}',
  params: Type.Object({ id: Type.Integer({ minimum: 0, description: 'User.' }) }),
} as const
const groups = { route: 'auth.group.collection', path: '/api/component/auth/group/' } as const
const group = {
  route: 'auth.group.item',
  path: '/api/component/auth/group/{id}',
  params: Type.Object({ id: Type.Integer({ minimum: 0, description: 'Group.' }) }),
} as const

/** Operations on users and groups. Brief listings are for every user, the rest for administrators. */
export const principalRoutes = {
  'auth.user_list': {
    ...users,
    method: 'GET',
    summary: 'Lists users.',
    query: briefly,
    response: Type.Array(UserSchema),
  },
  'auth.user_create': {
    ...users,
    method: 'POST',
    takesKey: true,
    summary: 'Creates a user.',
    body: NewUserSchema,
    plain: { status: 201 },
    response: IdAnswer,
  },
  'auth.user_get': { ...user, method: 'GET', summary: 'Returns a user.', response: UserSchema },
  'auth.user_update': {
    ...user,
    method: 'PUT',
    summary:
      'Changes a user. A new password ends its sessions and revokes its tokens, unless keep_tokens is true.',
    body: ChangedUserSchema,
    response: Type.Object({ ...IdAnswer.properties, ...EndedAccessSchema.properties }),
  },
  'auth.user_delete': { ...user, method: 'DELETE', summary: 'Deletes a user.', response: EmptySchema },
  'auth.group_list': {
    ...groups,
    method: 'GET',
    summary: 'Lists groups.',
    query: briefly,
    response: Type.Array(GroupSchema),
  },
  'auth.group_create': {
    ...groups,
    method: 'POST',
    takesKey: true,
    summary: 'Creates a group.',
    body: NewGroupSchema,
    plain: { status: 201 },
    response: IdAnswer,
  },
  'auth.group_get': { ...group, method: 'GET', summary: 'Returns a group.', response: GroupSchema },
  'auth.group_update': {
    ...group,
    method: 'PUT',
    summary: 'Changes a group.',
    body: ChangedGroupSchema,
    response: IdAnswer,
  },
  'auth.group_delete': { ...group, method: 'DELETE', summary: 'Deletes a group.', response: EmptySchema },
} as const satisfies Record<string, RouteDescriptor>
