-- Proof for the targets of calls: which write a person approved, signed by this installation.

create table signing_keys (
  -- The RFC 7638 thumbprint of the public key.
  id         text primary key,
  -- JSON text: a JWK (RFC 7517).
  public_key text not null,
  -- Sealed by the vault. Null once another key has taken over: nothing is signed with it any more.
  sealed     text,
  created_at timestamptz not null default now(),
  retired_at timestamptz,
  check ((sealed is null) = (retired_at is not null))
);
comment on table signing_keys is 'An Ed25519 key that signs receipts and heads of the audit log. Written by receipts.';
-- One signs; of two that are made at the same moment, one is kept.
create unique index signing_keys_active on signing_keys ((retired_at is null)) where retired_at is null;

create table receipts (
  approval_id text primary key references approvals on delete cascade,
  key_id      text not null,
  -- As it was sent: a JWS in compact form.
  receipt     text not null,
  issued_at   timestamptz not null
);
comment on table receipts is 'What a target was sent as proof of an approval. Written by receipts.';
