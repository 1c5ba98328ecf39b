-- A layer that nothing was ever written to has no table: thousands of empty ones cost nothing.
alter table layer alter table_name drop not null;

-- Features that were read and checked, and wait for a creation or a change to take them over.
create table prepared_source (
  id         text primary key,
  user_id    integer not null references principal on delete cascade,
  -- The layer whose features they are to replace.
  layer_id   integer references layer on delete cascade,
  -- Without its row here the staged table is nobody's, and is dropped.
  table_name text not null unique references staging on delete cascade,
  -- What the import gave: geometry type, reference system, fields, report.
  staged     jsonb not null,
  created_at timestamp not null default (now() at time zone 'utc')
);
create index prepared_source_created on prepared_source (created_at);
create index prepared_source_user on prepared_source (user_id);
create index prepared_source_layer on prepared_source (layer_id);
