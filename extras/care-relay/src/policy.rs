//! The addresses to which messages may go.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

/// The IPv4 networks that are not global unicast.
const CLOSED_V4: [(Ipv4Addr, u8); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),       // this network, and the unspecified address
    (Ipv4Addr::new(10, 0, 0, 0), 8),      // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),   // shared by a provider's customers
    (Ipv4Addr::new(127, 0, 0, 0), 8),     // loopback
    (Ipv4Addr::new(169, 254, 0, 0), 16),  // link-local, with the metadata of clouds
    (Ipv4Addr::new(172, 16, 0, 0), 12),   // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),    // assignments of protocols
    (Ipv4Addr::new(192, 0, 2, 0), 24),    // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),  // relays of 6to4
    (Ipv4Addr::new(192, 168, 0, 0), 16),  // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),   // benchmarking
    (Ipv4Addr::new(198, 51, 100, 0), 24), // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),  // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),     // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),     // reserved, and broadcast
];

/// All of IPv6 that is global unicast, and the networks in it that are not.
const GLOBAL_V6: (Ipv6Addr, u8) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
const CLOSED_V6: [(Ipv6Addr, u8); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // assignments of protocols, benchmarking
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x3ffe, 0, 0, 0, 0, 0, 0, 0), 16), // the former test network
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// The networks whose addresses hold IPv4 addresses, which are judged in their place.
const NAT64: (Ipv6Addr, u8) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);
const SIX_TO_FOUR: (Ipv6Addr, u8) = (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16);
const TEREDO: (Ipv6Addr, u8) = (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32);

/// A network of addresses, such as `10.1.0.0/16`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

/// The reason why a text is not a [`Network`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a network such as 10.1.0.0/16, without bits behind its prefix")]
pub struct BadNetwork;

/// The addresses to which the messages of one endpoint may go: those that are globally routable, and the networks that
/// the operator has named.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AddressPolicy {
    pub(crate) networks: Vec<Network>,
    /// Whether only the named networks are allowed, as for messages without TLS.
    pub(crate) only_named: bool,
}

impl AddressPolicy {
    /// Returns whether a connection to this address is allowed.
    pub(crate) fn admits(&self, address: IpAddr) -> bool {
        // A mapped address is the IPv4 address, to the system as well.
        let address = address.to_canonical();
        self.networks.iter().any(|network| network.contains(address)) || (!self.only_named && is_global(address))
    }
}

impl Network {
    /// Returns whether the network holds this address.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => is_in_v4(address, (network, self.prefix)),
            (IpAddr::V6(network), IpAddr::V6(address)) => is_in_v6(address, (network, self.prefix)),
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = BadNetwork;

    fn from_str(text: &str) -> Result<Self, BadNetwork> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| BadNetwork)?;
        let width = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Ok(width), str::parse).map_err(|_| BadNetwork)?;
        let behind = match address {
            _ if prefix > width => return Err(BadNetwork),
            IpAddr::V4(address) => u128::from(address.to_bits() & !mask_v4(prefix)),
            IpAddr::V6(address) => address.to_bits() & !mask_v6(prefix),
        };
        if behind == 0 { Ok(Self { address, prefix }) } else { Err(BadNetwork) }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

/// Returns whether an address is global unicast. One that holds an IPv4 address is if the latter is.
fn is_global(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !CLOSED_V4.iter().any(|&network| is_in_v4(address, network)),
        IpAddr::V6(address) => {
            let embedded = embedded(address);
            match embedded.is_empty() {
                true => is_in_v6(address, GLOBAL_V6) && !CLOSED_V6.iter().any(|&network| is_in_v6(address, network)),
                false => embedded.into_iter().all(|address| is_global(address.into())),
            }
        }
    }
}

/// Returns the IPv4 addresses that an address holds. A Teredo address holds those of its server and its client.
fn embedded(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    let low = |shift: u32| Ipv4Addr::from_bits((address.to_bits() >> shift) as u32);
    if let Some(mapped) = address.to_ipv4_mapped() {
        vec![mapped]
    } else if is_in_v6(address, NAT64) {
        vec![low(0)]
    } else if is_in_v6(address, SIX_TO_FOUR) {
        vec![low(80)]
    } else if is_in_v6(address, TEREDO) {
        vec![low(64), Ipv4Addr::from_bits(!low(0).to_bits())]
    } else {
        Vec::new()
    }
}

const fn is_in_v4(address: Ipv4Addr, (network, prefix): (Ipv4Addr, u8)) -> bool {
    (address.to_bits() ^ network.to_bits()) & mask_v4(prefix) == 0
}

const fn is_in_v6(address: Ipv6Addr, (network, prefix): (Ipv6Addr, u8)) -> bool {
    (address.to_bits() ^ network.to_bits()) & mask_v6(prefix) == 0
}

const fn mask_v4(prefix: u8) -> u32 {
    if prefix == 0 { 0 } else { u32::MAX << (32 - prefix) }
}

const fn mask_v6(prefix: u8) -> u128 {
    if prefix == 0 { 0 } else { u128::MAX << (128 - prefix) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_global_unicast_passes_whatever_embeds_it() {
        let policy = AddressPolicy::default();
        for refused in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:0:7f00:1",
            "64:ff9b::a00:1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::808:808",
            "100::1",
            "2001::1",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:a00:1::",
            "2002:7f00:1::1",
            "2002:c0a8:101::1",
            "2001:0:808:808:0:0:f5ff:fffe",
            "2001:0:a00:1:0:0:f7f7:f7f7",
            "3ffe::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "ff0e::1",
            "4000::1",
        ] {
            assert!(!policy.admits(refused.parse().unwrap()), "{refused}");
        }
        for passes in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "172.32.0.1",
            "192.0.1.1",
            "198.20.0.1",
            "223.255.255.255",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::1",
            "2001:0:808:808:0:0:f7f7:f7f7",
            "2606:4700::1111",
            "2001:4860:4860::8888",
            "2a00:1450::1",
        ] {
            assert!(policy.admits(passes.parse().unwrap()), "{passes}");
        }
    }

    #[test]
    fn a_named_network_opens_itself_and_nothing_else() {
        let networks = vec!["10.1.0.0/16".parse().unwrap(), "fd00::/64".parse().unwrap()];
        let policy = AddressPolicy { networks, only_named: false };
        for (address, passes) in [
            ("10.1.2.3", true),
            ("::ffff:10.1.2.3", true),
            ("10.2.0.1", false),
            ("64:ff9b::a01:203", false),
            ("fd00::9", true),
            ("fd00:0:0:1::9", false),
            ("8.8.8.8", true),
            ("127.0.0.1", false),
        ] {
            assert_eq!(policy.admits(address.parse().unwrap()), passes, "{address}");
        }
        let plain = AddressPolicy { only_named: true, ..policy };
        assert!(plain.admits("10.1.2.3".parse().unwrap()) && !plain.admits("8.8.8.8".parse().unwrap()));
    }

    #[test]
    fn networks_are_written_in_one_way() {
        for (text, shown) in [("127.0.0.0/8", "127.0.0.0/8"), ("10.0.0.1", "10.0.0.1/32"), ("::/0", "::/0")] {
            assert_eq!(text.parse::<Network>().unwrap().to_string(), shown);
        }
        for text in ["", "10.0.0.1/8", "10.0.0.0/33", "fd00::/129", "10.0.0.0/", "localhost", "10.0.0/8", "1/-1"] {
            assert_eq!(text.parse::<Network>(), Err(BadNetwork), "{text}");
        }
    }
}
