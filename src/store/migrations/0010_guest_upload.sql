-- What guests upload, by the network they come from and by the hour, kept for a day however soon an upload is forgotten.
-- The empty network stands for all of them.
create table guest_upload (
  network text not null,
  hour    timestamp not null,
  uploads bigint not null,
  bytes   bigint not null,
  primary key (network, hour)
);
create index guest_upload_hour on guest_upload (hour);

-- Where the guest came from who began an upload in parts; null for users.
alter table partial_upload add column network text;
