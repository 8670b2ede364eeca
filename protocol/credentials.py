"""Keys and certificates of the channel: who passes the TLS handshake. Identity rests on keys, never on dates.

A newcomer is let in by the invite's one-time authority; afterwards each side accepts the other's one certificate.
"""

from __future__ import annotations

import datetime as dt
import ssl
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, load_pem_private_key
from cryptography.x509.oid import NameOID

from protocol.files import UnusableFile, create_private, read_private
from protocol.hashing import H
from protocol.identity import key_bytes
from protocol.invite import invite_authority

ALPN = "dealerless/1"
TLS_FILE = "tls.pem"
EVER = (dt.datetime(1950, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59))  # noqa: DTZ001 - RFC 5280, 4.1.2.5
NO_CHECK_TIME = 0x200000  # X509_V_FLAG_NO_CHECK_TIME; the ssl module has no name for it
AUTHORITY_NAME = "dealerless invite"
LEAF_NAME = "dealerless"  # says nothing about anybody


def certificate_hash(certificate: bytes) -> bytes:
    """What a Hello signs of a certificate (DER): 32 bytes."""
    return H("tls", certificate)[:32]


@dataclass(frozen=True, slots=True)
class TlsKey:
    """The channel's own key and its certificate, distinct from the identity; one for each match."""

    key: Ed25519PrivateKey
    certificate: bytes  # DER

    @classmethod
    def issue(cls, seed: bytes) -> TlsKey:
        """A fresh key, certified by the invite's authority."""
        key = Ed25519PrivateKey.generate()
        return cls(key, issue_certificate(invite_authority(seed), key.public_key()).public_bytes(Encoding.DER))

    @classmethod
    def load_or_issue(cls, folder: Path, seed: bytes) -> TlsKey:
        """The one in the match folder, or a new one if there is none."""
        try:
            return cls.load(folder)
        except FileNotFoundError:
            made = cls.issue(seed)
        try:
            create_private(folder / TLS_FILE, made.pem())
        except FileExistsError:
            return cls.load(folder)
        return made

    @classmethod
    def load(cls, folder: Path) -> TlsKey:
        """FileNotFoundError where there is none; UnusableFile where there is one that can't be used."""
        path = folder / TLS_FILE
        content = read_private(path)
        try:
            key = load_pem_private_key(content, password=None)
            certificate = x509.load_pem_x509_certificate(content)
        except (ValueError, TypeError) as error:
            raise UnusableFile("tls-key-damaged", path) from error
        if not isinstance(key, Ed25519PrivateKey) or certificate.public_key() != key.public_key():
            raise UnusableFile("tls-key-damaged", path)
        return cls(key, certificate.public_bytes(Encoding.DER))

    @property
    def certificate_hash(self) -> bytes:
        return certificate_hash(self.certificate)

    def pem(self) -> bytes:
        return key_bytes(self.key) + ssl.DER_cert_to_PEM_cert(self.certificate).encode("ascii")

    def __repr__(self) -> str:
        return f"TlsKey({self.certificate_hash.hex()[:12]})"


@dataclass(frozen=True, slots=True)
class Credentials:
    """Our key, and whom we let through: holders of the invite's seed, or one certificate."""

    own: TlsKey
    anchor: bytes  # DER of the only certificate that is trusted
    pinned: bool  # the anchor is the peer's own certificate, not an authority

    @classmethod
    def by_invite(cls, own: TlsKey, seed: bytes) -> Credentials:
        return cls(own, authority_certificate(invite_authority(seed)).public_bytes(Encoding.DER), pinned=False)

    @classmethod
    def by_certificate(cls, own: TlsKey, peer_certificate: bytes) -> Credentials:
        return cls(own, peer_certificate, pinned=True)

    def accepts(self, certificate: bytes) -> bool:
        """A second look after the handshake, where OpenSSL has judged the chain."""
        return bool(certificate) and (not self.pinned or certificate == self.anchor)

    def context(self, *, server_side: bool) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server_side else ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False  # an address is no identity
        context.verify_mode = ssl.CERT_REQUIRED
        context.verify_flags = ssl.VerifyFlags(
            ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN | NO_CHECK_TIME,
        )
        context.set_alpn_protocols([ALPN])
        context.load_verify_locations(cadata=self.anchor)
        if server_side:
            context.num_tickets = 0
        _load_own(context, self.own)
        return context


def _load_own(context: ssl.SSLContext, own: TlsKey) -> None:
    """The ssl module reads keys from files alone, so the key passes through a private one for a moment."""
    with tempfile.TemporaryDirectory(prefix="dealerless-") as folder:
        path = Path(folder) / TLS_FILE
        create_private(path, own.pem())
        context.load_cert_chain(path)


def authority_certificate(authority: Ed25519PrivateKey) -> x509.Certificate:
    """The same bytes on both sides: serial number, dates and signature follow from the seed."""
    usage = _usage(signs_certificates=True)
    public = authority.public_key()
    builder = _certificate(AUTHORITY_NAME, public, serial=1).add_extension(usage, critical=True)
    return builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True).sign(authority, None)


def issue_certificate(authority: Ed25519PrivateKey, public: Ed25519PublicKey) -> x509.Certificate:
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key())
    usage = _usage(signs_certificates=False)
    builder = _certificate(LEAF_NAME, public, serial=x509.random_serial_number()).add_extension(usage, critical=True)
    builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    return builder.add_extension(issuer, critical=False).sign(authority, None)


def _certificate(name: str, public: Ed25519PublicKey, serial: int) -> x509.CertificateBuilder:
    return x509.CertificateBuilder(
        issuer_name=x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, AUTHORITY_NAME)]),
        subject_name=x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]),
        public_key=public,
        serial_number=serial,
        not_valid_before=EVER[0],
        not_valid_after=EVER[1],
    ).add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
