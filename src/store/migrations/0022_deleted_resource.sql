-- Deleted resources, whose ids an undo gives to the resources that it creates again.
create table deleted_resource (
  id           integer primary key,
  -- Versions that the resource and its data had. Those of a restored resource continue from them, since caches know them.
  version      integer not null,
  data_version integer,
  -- Who deleted it; null if only administrators may restore it.
  user_id      integer references principal on delete set null,
  deleted_at   timestamp not null default (now() at time zone 'utc')
);
create index deleted_resource_user on deleted_resource (user_id);
create index deleted_resource_deleted_at on deleted_resource (deleted_at);

-- Resources as a change found them: the changed one, and those that it deleted with it. Histories are searched by them.
create table journal_before (
  entry_id     integer not null,
  position     integer not null,
  -- Place in the list of the change; 0 is the changed resource.
  place        integer not null,
  -- No foreign key: the journal outlives resources.
  resource_id  integer not null,
  key          text,
  cls          text not null,
  display_name text not null,
  version      integer,
  data_version integer,
  primary key (entry_id, position, place),
  foreign key (entry_id, position) references journal_change on delete cascade
);
create index journal_before_resource on journal_before (resource_id, entry_id);
create index journal_before_key on journal_before (key, entry_id);

insert into journal_before (entry_id, position, place, resource_id, key, cls, display_name, version, data_version)
select c.entry_id, c.position, b.nth - 1, (b.wire->'resource'->>'id')::int, b.wire->'resource'->>'keyname',
       b.wire->'resource'->>'cls', coalesce(b.wire->'resource'->>'display_name', ''),
       (b.wire->'resource'->>'version')::int, (b.wire->(b.wire->'resource'->>'cls')->>'data_version')::int
  from journal_change c, jsonb_array_elements(c.before) with ordinality as b (wire, nth)
 where b.wire->'resource'->>'id' is not null and b.wire->'resource'->>'cls' is not null;
