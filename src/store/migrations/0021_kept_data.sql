-- Data that were replaced or deleted, for an undo. Nobody can read them before they are restored.
create table kept_data (
  id            integer generated always as identity primary key,
  -- No foreign key: the data outlive their layer.
  resource_id   integer not null,
  -- Version that the data had.
  data_version  integer not null,
  display_name  text not null,
  geometry_type text not null,
  srs           integer not null,
  -- Null if the layer never had features.
  table_name    text,
  -- Whether the table is a copy, without keys and indexes.
  is_copy       boolean not null,
  fields        jsonb not null,
  features      integer not null,
  bytes         bigint not null,
  -- Who deleted the layer, and could read and write its data; null if only administrators may restore it.
  user_id       integer references principal on delete set null,
  kept_at       timestamp not null default (now() at time zone 'utc')
);
create index kept_data_resource on kept_data (resource_id, data_version);
create index kept_data_user on kept_data (user_id);

create table kept_attachment (
  kept_id        integer not null references kept_data on delete cascade,
  id             integer not null,
  feature_id     bigint not null,
  name           text not null,
  mime_type      text not null,
  description    text,
  digest         text not null references blob,
  is_image       boolean,
  preview_digest text references blob,
  primary key (kept_id, id)
);
create index kept_attachment_digest on kept_attachment (digest);
create index kept_attachment_preview on kept_attachment (preview_digest);

create table kept_description (
  kept_id     integer not null references kept_data on delete cascade,
  feature_id  bigint not null,
  description text not null,
  primary key (kept_id, feature_id)
);
