-- The audit log as a chain: an entry that was edited, removed or inserted shows.

create table audit_keys (
  id              text primary key,
  -- Sealed by the vault: whoever has only the database cannot compute what an entry must carry.
  sealed          text not null,
  created_at      timestamptz not null default now(),
  -- The last entry of the chain, and the last one that was deleted for its age; keyed, so that neither can be set back by hand.
  position        bigint not null default 0,
  hash            text not null default '',
  pruned_position bigint not null default 0,
  pruned_hash     text not null default '',
  mac             text not null
);
comment on table audit_keys is 'A key of the audit log, and the chain that is kept under it. Written by accounts.';

create table audit_heads (
  -- In UTC.
  day        date primary key,
  chain      text not null,
  position   bigint not null,
  hash       text not null,
  -- A JWS over the above, signed with the key of receipts.
  head       text not null,
  created_at timestamptz not null default now()
);
comment on table audit_heads is 'How far the audit log had got on a day, signed. Written by accounts.';

-- The key under which an entry was written, and its proof that Bellhop wrote it.
alter table audit_log add column chain text, add column mac text,
  -- Its place in the chain, and the keyed hash over it, its proof and the hash before. Null until it is sealed, a moment after it is written.
  add column position bigint, add column hash text;
create unique index audit_log_chain on audit_log (chain, position) where position is not null;
create index audit_log_unsealed on audit_log (id) where chain is not null and position is null;
